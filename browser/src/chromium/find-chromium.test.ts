import { describe, expect, it } from 'vitest';
import { findChromium } from './find-chromium.ts';

const there = process.execPath;
const unpacked = { executablePath: '/unpacked/chromium', env: { LD_LIBRARY_PATH: '/unpacked/lib' } };
const none = { setting: undefined, ofPlaywright: '/missing/1', ofSystem: ['/missing/2'], unpack: undefined };

describe('the Chromium of a machine', () => {
  it('is the one of PLATFORM_CHROMIUM if it is set', async () => {
    const places = { ...none, setting: there, ofPlaywright: import.meta.filename };
    expect(await findChromium(places)).toEqual({ executablePath: there });
  });

  it('is the one that Playwright installed rather than that of the system', async () => {
    const places = { ...none, setting: '', ofPlaywright: there, ofSystem: [import.meta.filename] };
    expect(await findChromium(places)).toEqual({ executablePath: there });
  });

  it('is the one of the system under the first name that exists', async () => {
    const places = { ...none, ofSystem: ['/missing/2', there], unpack: async () => unpacked };
    expect(await findChromium(places)).toEqual({ executablePath: there });
  });

  it('is unpacked from the npm package if there is no other', async () => {
    expect(await findChromium({ ...none, unpack: async () => unpacked })).toEqual(unpacked);
  });

  it('is an error if PLATFORM_CHROMIUM is set to a missing program', async () => {
    await expect(findChromium({ ...none, setting: '/missing/0', ofPlaywright: there })).rejects.toThrow(
      'PLATFORM_CHROMIUM is /missing/0, which does not exist. Set it to',
    );
  });

  it('is an error that explains how to install one, if there is none', async () => {
    await expect(findChromium(none)).rejects.toThrow(
      /this machine has none[\s\S]*apt-get install chromium[\s\S]*npx playwright install chromium[\s\S]*PLATFORM_CHROMIUM/,
    );
  });
});
