import { execFile } from 'node:child_process';
import { existsSync, lstatSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Chromium } from './chromium.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('unpack-program.ts', import.meta.url));
const abandonedAfterMs = 10 * 60_000;

/**
 * Unpacks the Chromium of the npm package into the temporary directory, once for all processes of a user. Each process
 * unpacks into a separate folder and renames it at the end, so the folder with the final name is always complete. If
 * two processes unpack at the same time, the result of the first to finish is used.
 */
export async function unpackChromium(parent: string = tmpdir()): Promise<Chromium> {
  const folder = join(parent, `agent-platform-chromium-${readVersion()}-${userInfo().uid}`);
  if (!existsSync(folder)) {
    removeAbandoned(folder);
    const partial = mkdtempSync(`${folder}.partial-`);
    try {
      await run(process.execPath, [program], { env: { ...process.env, TMPDIR: partial } });
      writeFileSync(join(partial, 'fonts.conf'), fontsOf(folder));
      renameUnlessThere(partial, folder);
    } finally {
      rmSync(partial, { recursive: true, force: true });
    }
  }
  checkOwner(folder);
  const executablePath = join(folder, 'chromium');
  return { executablePath, env: environmentOf(folder) };
}

function readVersion(): string {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const manifest = createRequire(import.meta.url)(join(dirname(entry), '..', 'package.json')) as { version: string };
  return manifest.version;
}

function renameUnlessThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}

/** A killed process leaves its unfinished folder behind. */
function removeAbandoned(folder: string): void {
  const parent = dirname(folder);
  const partials = readdirSync(parent).filter((name) => name.startsWith(`${basename(folder)}.partial-`));
  for (const path of partials.map((name) => join(parent, name))) {
    const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs < Date.now() - abandonedAfterMs) rmSync(path, { recursive: true, force: true });
  }
}

/** Rejects another user's folder: every user may write to the temporary directory and could put programs there. */
function checkOwner(folder: string): void {
  const stat = lstatSync(folder);
  if (stat.isDirectory() && stat.uid === userInfo().uid) return;
  throw new Error(`${folder} is owned by another user. Remove it, or set PLATFORM_CHROMIUM to a Chromium program.`);
}

/** Uses the fonts of the machine, or those of the package if there are none; without fonts, pages show no text. */
function fontsOf(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${folder}/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`;
}

/** Machines without NSS and Expat need the libraries of the package. */
function environmentOf(folder: string): Readonly<Record<string, string>> {
  const libraries = [join(folder, 'al2023', 'lib'), process.env['LD_LIBRARY_PATH']].filter(
    (path) => path !== undefined,
  );
  return { LD_LIBRARY_PATH: libraries.join(':'), FONTCONFIG_FILE: join(folder, 'fonts.conf') };
}
