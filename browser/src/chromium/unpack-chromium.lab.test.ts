import { mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { beforeEach, describe, expect, it } from 'vitest';
import { unpackChromium } from './unpack-chromium.ts';

let parent: string;
beforeEach(() => {
  parent = makeTestFolder();
});

const isLinux = process.platform === 'linux' && process.arch === 'x64';

describe.runIf(isLinux)('the Chromium of the npm package', () => {
  it('is unpacked once, even by two concurrent processes after a third was killed', async () => {
    const folder = `agent-platform-chromium-153.0.0-${process.getuid?.()}`;
    const abandoned = join(parent, `${folder}.partial-killed`);
    mkdirSync(abandoned);
    writeFileSync(join(abandoned, 'chromium'), 'half of it');
    utimesSync(abandoned, 0, 0);

    const both = await Promise.all([unpackChromium(parent), unpackChromium(parent)]);
    const { ino } = statSync(join(parent, folder));
    const again = await unpackChromium(parent);

    expect(new Set([...both, again].map(({ executablePath }) => executablePath))).toEqual(
      new Set([join(parent, folder, 'chromium')]),
    );
    expect(statSync(join(parent, folder)).ino).toBe(ino);
    expect(readdirSync(parent)).toEqual([folder]);
    expect(statSync(again.executablePath).size).toBeGreaterThan(100_000_000);
    expect(readdirSync(again.env?.['LD_LIBRARY_PATH']?.split(':')[0] ?? '')).toContain('libnss3.so');
  });

  it('is never read through a link that another user has created in its place', async () => {
    const { executablePath } = await unpackChromium();
    const folder = dirname(executablePath);
    symlinkSync(folder, join(parent, basename(folder)));

    await expect(unpackChromium(parent)).rejects.toThrow('is owned by another user');
  });
});
