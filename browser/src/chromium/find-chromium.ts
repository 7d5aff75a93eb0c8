import { existsSync } from 'node:fs';
import { chromium } from 'playwright';
import type { Chromium } from './chromium.ts';
import { unpackChromium } from './unpack-chromium.ts';

/** In the order in which the places are tried. */
interface Places {
  readonly setting: string | undefined;
  readonly ofPlaywright: string;
  readonly ofSystem: readonly string[];
  /** Unpacks the Chromium of the npm package; undefined if the package contains none for this machine. */
  readonly unpack: (() => Promise<Chromium>) | undefined;
}

const thisMachine: Places = {
  setting: process.env['PLATFORM_CHROMIUM'],
  ofPlaywright: chromium.executablePath(),
  ofSystem: [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/usr/bin/google-chrome-stable',
    '/snap/bin/chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  unpack: process.platform === 'linux' && process.arch === 'x64' ? unpackChromium : undefined,
};

const hint = `Install one of:
  Debian, Ubuntu     apt-get install chromium
  Linux, macOS       npx playwright install chromium
  anywhere else      any Chromium or Chrome; set PLATFORM_CHROMIUM to the path of its program`;

/** Falls back to the Chromium in the npm package. If neither can be used, the error explains how to install one. */
export async function findChromium(places: Places = thisMachine): Promise<Chromium> {
  const { setting, ofPlaywright, ofSystem, unpack } = places;
  if (setting !== undefined && setting !== '') {
    if (existsSync(setting)) return { executablePath: setting };
    throw new Error(
      `PLATFORM_CHROMIUM is ${setting}, which does not exist. Set it to the path of a Chromium or Chrome program, or unset it.`,
    );
  }
  const executablePath = [ofPlaywright, ...ofSystem].find((path) => existsSync(path));
  if (executablePath !== undefined) return { executablePath };
  if (unpack !== undefined) return unpack();
  throw new Error(`Browser tests and screenshots need Chromium, and this machine has none.\n${hint}`);
}
