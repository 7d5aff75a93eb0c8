// Finds the Node.js and pnpm that an earlier command downloaded into the checkout, or downloads them. Plain JavaScript
// for Node.js 18.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  buildNpmManifests,
  buildPnpmManifests,
  isMusl,
  nodePackage,
  pinnedVersions,
  pnpmPackage,
} from './set-up-pins.mjs';
import { runStep, SetUpError } from './set-up-step.mjs';

/**
 * @typedef {object} Tools
 * @property {string} node The Node.js that runs the workspace.
 * @property {string} pnpm
 */

/**
 * Since 22.18 and 23.6, Node.js runs TypeScript sources without a flag. The published packages promise 22.19. Node.js
 * 23 has had no fixes since mid-2025.
 *
 * @param {string} version As in `process.versions.node`.
 */
export function isSuitableNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 19);
}

// fetched.json is written after the tools have run. Its paths are relative, so that the folder can be moved.
/**
 * @typedef {object} Fetched
 * @property {string} machine
 * @property {typeof pinnedVersions} versions
 * @property {string | null} node
 * @property {string} pnpm
 */

const machine = `${process.platform} ${process.arch}`;

/** @param {string} root */
function fetchedFile(root) {
  return join(root, '.runtime', 'fetched.json');
}

/**
 * @param {string} root
 * @returns {Tools | undefined}
 */
export function findTools(root) {
  if (!existsSync(fetchedFile(root))) return undefined;
  /** @type {Fetched} */
  const fetched = JSON.parse(readFileSync(fetchedFile(root), 'utf8'));
  if (fetched.machine !== machine || fetched.versions.pnpm !== pinnedVersions.pnpm) return undefined;
  const pnpm = join(root, fetched.pnpm);
  if (!existsSync(pnpm)) return undefined;
  if (isSuitableNode(process.versions.node)) return { node: process.execPath, pnpm };
  if (fetched.node === null || fetched.versions.node !== pinnedVersions.node) return undefined;
  const node = join(root, fetched.node);
  return existsSync(node) ? { node, pnpm } : undefined;
}

/**
 * @param {string} root
 * @param {(line: string) => void} say
 * @param {(child: number) => void} onChild
 * @returns {Promise<Tools>}
 */
export async function fetchTools(root, say, onChild) {
  const own = isSuitableNode(process.versions.node);
  const pnpmToFetch = pnpmPackage(process.platform, process.arch, isMusl());
  const nodeToFetch = nodePackage(process.platform, process.arch);
  say(
    own
      ? `Fetching pnpm ${pinnedVersions.pnpm} (once) …`
      : `This machine has Node.js ${process.versions.node}; fetching Node.js ${pinnedVersions.node} and pnpm ${pinnedVersions.pnpm} for this folder (once) …`,
  );
  for (const { name, integrity } of own ? [pnpmToFetch] : [pnpmToFetch, nodeToFetch]) {
    if (integrity === undefined) say(`There is no recorded hash of ${name}; it is installed by version.`);
  }
  const place = join(root, '.runtime');
  rmSync(fetchedFile(root), { force: true });
  rmSync(join(place, 'node_modules'), { recursive: true, force: true });
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  // Shorter retry delays, because npm also retries a download with a wrong hash; its defaults are 10 s and a minute.
  const flags = [...quiet, '--ignore-scripts', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];
  const npm = findNpm();
  // npm and pnpm check every package's hash before they unpack it.
  /** @type {(command: string, args: string[], what: string) => Promise<unknown>} */
  const fetchWith = (command, args, what) =>
    runStep(command, args, {
      root: place,
      say,
      onChild,
      npm,
      needsRegistry: true,
      what,
      hint: 'See the output above. Usually the registry cannot be reached: check the network, the proxy and "npm config get registry", then run the command again.',
    }).catch((error) => {
      throw isWrongHash(error) ? new SetUpError(...wrongHash) : error;
    });
  writeManifests(place, buildNpmManifests([pnpmToFetch]));
  await fetchWith(npm.command, [...npm.args, 'ci', '--prefix', place, ...flags], 'Fetching with npm');
  const pnpm = checkRuns(pnpmPlace(place));
  if (!own) {
    // pnpm needs a quarter of npm's time, and almost none if another checkout's store already has the package.
    writeManifests(join(place, 'node'), buildPnpmManifests(nodeToFetch));
    const words = ['install', '--dir', join(place, 'node'), '--ignore-workspace', '--ignore-scripts'];
    if (nodeToFetch.integrity !== undefined) words.push('--frozen-lockfile');
    await fetchWith(
      pnpm,
      [...words, '--config.minimumReleaseAge=0', '--config.updateNotifier=false'],
      'Fetching Node.js',
    );
  }
  const node = own ? null : checkRuns(nodePlace(place));
  /** @type {Fetched} */
  const fetched = {
    machine,
    versions: pinnedVersions,
    node: node === null ? null : relative(root, node),
    pnpm: relative(root, pnpm),
  };
  writeFileSync(`${fetchedFile(root)}.next`, JSON.stringify(fetched));
  renameSync(`${fetchedFile(root)}.next`, fetchedFile(root));
  return { node: node ?? process.execPath, pnpm };
}

/**
 * @param {string} folder
 * @param {Readonly<Record<string, object>>} files
 */
function writeManifests(folder, files) {
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), JSON.stringify(content, null, 2));
  }
}

/** @type {[message: string, hint: string]} */
const wrongHash = [
  'The registry delivered a package whose hash differs from the one recorded in scripts/set-up-pins.mjs. No part of it was run.',
  'Stop here: a mirror, a proxy or the registry has changed the package. Check "npm config get registry", compare with another network, and report it if the error remains.',
];

/** @param {unknown} error */
function isWrongHash(error) {
  return error instanceof SetUpError && /EINTEGRITY|TARBALL_INTEGRITY/.test(error.said);
}

/** @param {string} place */
function nodePlace(place) {
  const { name } = nodePackage(process.platform, process.arch);
  return join(place, 'node', 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

/** @param {string} place */
function pnpmPlace(place) {
  const { name } = pnpmPackage(process.platform, process.arch, isMusl());
  return join(place, 'node_modules', name, process.platform === 'win32' ? 'pnpm.exe' : 'pnpm');
}

/** @param {string} program */
function checkRuns(program) {
  if (spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0) return program;
  throw new SetUpError(
    `What npm fetched does not run on this machine (${process.platform} ${process.arch}).`,
    'Install Node.js 24 in the usual way for your system and run the command again; remove the folder .runtime if that changes nothing.',
  );
}

/** Prefers the npm that started this process to the npm on the PATH. */
export function findNpm() {
  const started = process.env['npm_execpath'];
  // Checks the file name, because pnpm and yarn set the same variable to their own paths.
  if (started?.endsWith('npm-cli.js') && existsSync(started)) return { command: process.execPath, args: [started] };
  return { command: process.platform === 'win32' ? 'npm.cmd' : 'npm', args: [] };
}
