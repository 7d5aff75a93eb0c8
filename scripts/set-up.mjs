// Makes a checkout ready to run its commands: the right Node.js, pnpm and the workspace's packages. Plain JavaScript
// for Node.js 18.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { acquireLock } from './set-up-lock.mjs';
import { pinnedVersions } from './set-up-pins.mjs';
import { runStep } from './set-up-step.mjs';
import { fetchTools, findNpm, findTools } from './set-up-tools.mjs';

/** @typedef {import('./set-up-tools.mjs').Tools} Tools */

/**
 * The packages to install: those that the server needs at run time, those of all programs, additionally the build and
 * measuring tools, or everything. Each level includes the previous ones. Only `all` includes browser and documentation,
 * because Chromium is a download of 67 MB.
 *
 * @typedef {'server' | 'programs' | 'core' | 'all'} Extent
 */

const withoutHeavy = ['--filter=!@agent-platform/browser', '--filter=!@agent-platform/site'];

const ofServer = ['--prod', '--filter-prod=@agent-platform/server...'];
// Includes development dependencies, because some of them are bundled into the clients.
const ofClients = ['cli-core', 'cli', 'examples', 'mcp', 'sdk', 'conformance'].map(
  (name) => `--filter=@agent-platform/${name}`,
);

/** The flags of the pnpm calls for each level, the smallest first. */
const callsOf = {
  server: [ofServer],
  // Unlike `--filter-prod`, `--filter` includes the test helpers, with which the examples start a server.
  programs: [['--prod', '--filter=@agent-platform/server...'], ofClients],
  core: [withoutHeavy],
  all: [[]],
};
const extents = Object.keys(callsOf);
const messages = {
  server: 'Installing the packages of the server …',
  programs: 'Installing the packages of all programs …',
  core: 'Installing the packages of the workspace …',
  all: 'Installing the packages of the workspace, including those for browser tests and documentation …',
};

/**
 * Returns the tools that it found or downloaded. Only reads a few files if everything is installed.
 *
 * @param {string} root
 * @param {(line: string) => void} say
 * @param {Extent} [extent]
 * @returns {Promise<Tools>}
 */
export async function setUpCheckout(root, say, extent = 'core') {
  const ready = findTools(root);
  if (ready !== undefined && isInstalled(root, ready, extent)) return ready;
  const lock = await acquireLock(join(root, '.runtime', 'lock'), (holder) =>
    say(`Waiting for another command that sets up this folder (process ${holder.processes[0] ?? '?'}) …`),
  );
  try {
    const tools = findTools(root) ?? (await fetchTools(root, say, lock.include));
    if (isInstalled(root, tools, extent)) return tools;
    // Never reduces the installed extent, because that would remove packages that other commands use.
    const most = extents[Math.max(extents.indexOf(extent), readStamp(root).rank)];
    await installPackages(root, tools, /** @type {Extent} */ (most), say, lock.include);
    return tools;
  } finally {
    lock.release();
  }
}

/** @param {string} root */
function stampFile(root) {
  return join(root, 'node_modules', '.set-up-stamp');
}

/**
 * Identifies everything that an installation depends on.
 *
 * @param {string} root
 * @param {Tools} tools
 */
function stampOf(root, tools) {
  const hash = createHash('sha256');
  const read = (/** @type {string} */ name) =>
    existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : undefined;
  const workspace = read('pnpm-workspace.yaml') ?? '';
  const manifests = [...workspace.matchAll(/^ {2}- (\w.*)$/gm)].map(([, folder = '']) => join(folder, 'package.json'));
  for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', ...manifests]) {
    const text = read(name);
    if (text !== undefined) hash.update(`${name}\0${text}\0`);
  }
  const version = tools.node === process.execPath ? process.versions.node : pinnedVersions.node;
  return hash.update(`${version} ${pinnedVersions.pnpm} ${process.platform} ${process.arch}`).digest('hex');
}

/**
 * @param {string} root
 * @param {Tools} tools
 * @param {Extent} extent
 */
function isInstalled(root, tools, extent) {
  const { stamp, rank } = readStamp(root);
  return rank >= extents.indexOf(extent) && stamp === stampOf(root, tools);
}

/**
 * Reads the manifests' hash and the extent's rank of the last installation; the rank is -1 if there was none.
 *
 * @param {string} root
 */
function readStamp(root) {
  const text = existsSync(stampFile(root)) ? readFileSync(stampFile(root), 'utf8') : '';
  const [stamp = '', extent = ''] = text.split(' ');
  return { stamp, rank: extents.indexOf(extent) };
}

/**
 * @param {string} root
 * @param {Tools} tools
 * @param {Extent} extent
 * @param {(line: string) => void} say
 * @param {(child: number) => void} onChild
 */
async function installPackages(root, tools, extent, say, onChild) {
  say(messages[extent]);
  rmSync(stampFile(root), { force: true });
  const flags = ['--frozen-lockfile', '--config.confirmModulesPurge=false', '--config.updateNotifier=false'];
  // The hashes in the lock file determine what is installed. The age of each release was checked when the lock file was
  // written, and CI checks it; here the check would need three requests per package, up to 90 s in total.
  flags.push('--config.minimumReleaseAge=0');
  for (const call of callsOf[extent]) {
    await runStep(tools.pnpm, ['install', ...call, ...flags], {
      root,
      say,
      onChild,
      npm: findNpm(),
      needsRegistry: false,
      what: 'Installing the packages',
      // The few package scripts must find the Node.js that will run them.
      path: dirname(tools.node),
      hint: `See the output of pnpm above. If it reports an outdated lock file, a package.json was changed by hand: run "${tools.pnpm} install". If it reports a network error, check the connection and run the command again.`,
    });
  }
  mkdirSync(dirname(stampFile(root)), { recursive: true });
  writeFileSync(stampFile(root), `${stampOf(root, tools)} ${extent}`);
}
