import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sharedFiles } from './published-manifest.mjs';
import { setUpCheckout } from './set-up.mjs';
import { stepEnvironment } from './set-up-step.mjs';
import { findNpm } from './set-up-tools.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const runProgram = promisify(execFile);
/** The PATH starts with this repository's Node.js; the variables that npm sets are removed. */
export const programEnvironment = stepEnvironment(dirname(process.execPath));

/** A module for `--import` that makes Node.js report an old version. */
export const oldNodeImport = `data:text/javascript,${encodeURIComponent(
  `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.0' } });`,
)}`;

export interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly publishConfig?: { readonly exports: Record<string, unknown> };
  readonly bin?: Record<string, string>;
}

export interface PackedPackage {
  readonly manifest: PackageManifest;
  readonly tarball: string;
}

export function findPublishedPackages(): readonly string[] {
  return readdirSync(root).filter(isPublished);
}

/** Packs all published packages, or those in the named folders. */
export async function packPackages(target: string, names = findPublishedPackages()) {
  const { pnpm } = await setUpCheckout(root, (line) => console.error(line));
  mkdirSync(target, { recursive: true });
  const packed: PackedPackage[] = [];
  // Packs two packages at a time, because each build occupies one processor.
  for (let at = 0; at < names.length; at += 2) {
    packed.push(...(await Promise.all(names.slice(at, at + 2).map((name) => pack(pnpm, name, target)))));
  }
  return packed;
}

/** Installs packages, including tarballs, with npm in a folder like a user's project. */
export async function installInProject(place: string, packages: readonly string[]): Promise<void> {
  mkdirSync(place, { recursive: true });
  if (!existsSync(join(place, 'package.json'))) {
    writeFileSync(join(place, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
  }
  const npm = findNpm();
  const flags = ['--no-audit', '--no-fund', '--no-update-notifier', '--ignore-scripts', '--prefer-offline'];
  await runProgram(npm.command, [...npm.args, 'install', ...flags, ...packages], {
    cwd: place,
    env: programEnvironment,
  });
}

function isPublished(name: string): boolean {
  return existsSync(join(root, name, 'src/index.ts')) && readManifest(name).publishConfig !== undefined;
}

function readManifest(name: string): PackageManifest {
  return JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8'));
}

async function pack(pnpm: string, name: string, target: string): Promise<PackedPackage> {
  const manifest = readManifest(name);
  const hooks = `--config.pnpmfile=${join(root, 'scripts/published-manifest.mjs')}`;
  for (const file of sharedFiles) copyFileSync(join(root, file), join(root, name, file));
  try {
    await runProgram(pnpm, ['pack', hooks, '--pack-destination', target], {
      cwd: join(root, name),
      env: programEnvironment,
    });
  } finally {
    for (const file of sharedFiles) rmSync(join(root, name, file), { force: true });
  }
  return locate(manifest, target);
}

function locate(manifest: PackageManifest, folder: string): PackedPackage {
  const file = `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`;
  return { manifest, tarball: join(folder, file) };
}
