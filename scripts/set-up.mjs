// Brings a checkout to the point where its commands can run: the right Node.js,
// pnpm and the packages of the workspace. Plain JavaScript for Node.js 18.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { takeLock } from './set-up-lock.mjs';
import { isMusl, manifestOf, nodePackage, pinned, pnpmPackage } from './set-up-pins.mjs';
import { runStep, SetUpError } from './set-up-step.mjs';

/**
 * @typedef {object} Tools
 * @property {string} node The Node.js that runs the workspace.
 * @property {string} pnpm
 */

/**
 * Tells whether a Node.js can run this workspace. The TypeScript of the
 * workspace runs as it is, which 22.18 and 23.6 began to do without a flag; 22.19
 * is what the published packages promise; 23 has had no fixes since mid-2025.
 *
 * @param {string} version As in `process.versions.node`.
 */
export function willDo(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 19);
}

/**
 * What is installed: what the server needs while it runs, what all programs need while they run, what builds and
 * measures them, or all. Each contains the ones before. Browser and documentation are only in the last one: the
 * program of Chromium alone is a download of 67 MB.
 *
 * @typedef {'server' | 'programs' | 'core' | 'all'} Extent
 */

const withoutHeavy = ['--filter=!@agent-platform/browser', '--filter=!@agent-platform/site'];

const ofServer = ['--prod', '--filter-prod=@agent-platform/server...'];
// The sources of a client use packages that its build contains, so these are development dependencies.
const ofClients = ['cli-core', 'cli', 'examples', 'mcp', 'sdk', 'conformance'].map(
  (name) => `--filter=@agent-platform/${name}`,
);

/** The flags of the calls that make each installation, the smallest first. */
const callsOf = {
  server: [ofServer],
  // The examples start a server with the means of the tests.
  programs: [['--prod', '--filter=@agent-platform/server...'], ofClients],
  core: [withoutHeavy],
  all: [[]],
};
const extents = Object.keys(callsOf);
const messages = {
  server: 'Installing the packages of the server …',
  programs: 'Installing the packages of all programs …',
  core: 'Installing the packages of the workspace …',
  all: 'Installing the packages of the workspace, those of the browser and of the documentation included …',
};

/**
 * Prepares the checkout and names the tools that it found or fetched. Costs
 * a few file reads when nothing is missing.
 *
 * @param {string} root
 * @param {(line: string) => void} say
 * @param {Extent} [extent]
 * @returns {Promise<Tools>}
 */
export async function setUp(root, say, extent = 'core') {
  const ready = findTools(root);
  if (ready !== undefined && isInstalled(root, ready, extent)) return ready;
  const lock = await takeLock(join(root, '.runtime', 'lock'), (holder) =>
    say(`Waiting for another command that sets this folder up (process ${holder.processes[0] ?? '?'}) …`),
  );
  try {
    const tools = findTools(root) ?? (await fetchTools(root, say, lock.include));
    if (isInstalled(root, tools, extent)) return tools;
    // A smaller installation would remove what other commands use.
    const most = extents[Math.max(extents.indexOf(extent), readStamp(root).rank)];
    await installPackages(root, tools, /** @type {Extent} */ (most), say, lock.include);
    return tools;
  } finally {
    lock.release();
  }
}

// Written after the tools were seen to run. Paths begin at the root, so that the
// folder may be moved.
/**
 * @typedef {object} Fetched
 * @property {string} machine
 * @property {typeof pinned} versions
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
function findTools(root) {
  if (!existsSync(fetchedFile(root))) return undefined;
  /** @type {Fetched} */
  const fetched = JSON.parse(readFileSync(fetchedFile(root), 'utf8'));
  if (fetched.machine !== machine || fetched.versions.pnpm !== pinned.pnpm) return undefined;
  const pnpm = join(root, fetched.pnpm);
  if (!existsSync(pnpm)) return undefined;
  if (willDo(process.versions.node)) return { node: process.execPath, pnpm };
  if (fetched.node === null || fetched.versions.node !== pinned.node) return undefined;
  const node = join(root, fetched.node);
  return existsSync(node) ? { node, pnpm } : undefined;
}

/**
 * @param {string} root
 * @param {(line: string) => void} say
 * @param {(child: number) => void} onChild
 * @returns {Promise<Tools>}
 */
async function fetchTools(root, say, onChild) {
  const own = willDo(process.versions.node);
  const packages = [pnpmPackage(process.platform, process.arch, isMusl())];
  if (!own) packages.push(nodePackage(process.platform, process.arch));
  say(
    own
      ? `Fetching pnpm ${pinned.pnpm} (once) …`
      : `This machine has Node.js ${process.versions.node}; fetching Node.js ${pinned.node} and pnpm ${pinned.pnpm} for this folder (once) …`,
  );
  for (const { name, integrity } of packages) {
    if (integrity === undefined) say(`There is no recorded hash of ${name}; it is taken by its version.`);
  }
  const place = join(root, '.runtime');
  rmSync(fetchedFile(root), { force: true });
  rmSync(join(place, 'node_modules'), { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  for (const [name, content] of Object.entries(manifestOf(packages))) {
    writeFileSync(join(place, name), JSON.stringify(content, null, 2));
  }
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  // npm repeats a download with a wrong hash as well, after 10 s and a minute unless told otherwise.
  const flags = [...quiet, '--ignore-scripts', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];
  const npm = findNpm();
  // npm compares every package with its hash before it unpacks it.
  await runStep(npm.command, [...npm.args, 'ci', '--prefix', place, ...flags], {
    root,
    say,
    onChild,
    npm,
    needsRegistry: true,
    what: 'Fetching with npm',
    hint: 'See what npm says above. Usually the registry cannot be reached: check the network, the proxy and "npm config get registry", then run the command again.',
  }).catch((error) => {
    throw isWrongHash(error) ? new SetUpError(...wrongHash) : error;
  });
  const node = own ? null : checkRuns(nodePlace(place));
  const pnpm = checkRuns(pnpmPlace(place));
  /** @type {Fetched} */
  const fetched = {
    machine,
    versions: pinned,
    node: node === null ? null : relative(root, node),
    pnpm: relative(root, pnpm),
  };
  writeFileSync(`${fetchedFile(root)}.next`, JSON.stringify(fetched));
  renameSync(`${fetchedFile(root)}.next`, fetchedFile(root));
  return { node: node ?? process.execPath, pnpm };
}

/** @type {[message: string, hint: string]} */
const wrongHash = [
  'What the registry delivered has another hash than the one recorded in scripts/set-up-pins.mjs. Nothing of it was run.',
  'Do not go on: a mirror, a proxy or the registry has changed the package. Check "npm config get registry", compare with another network, and report it if it stays.',
];

/** @param {unknown} error */
function isWrongHash(error) {
  return error instanceof SetUpError && error.said.includes('EINTEGRITY');
}

/** @param {string} place */
function nodePlace(place) {
  const { name } = nodePackage(process.platform, process.arch);
  return join(place, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
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
    'Install Node.js 24 in the manner of your system and run the command again; remove the folder .runtime if that changes nothing.',
  );
}

/** Names the npm that started us, else the one on the PATH. */
export function findNpm() {
  const started = process.env['npm_execpath'];
  // pnpm and yarn set the same variable to themselves.
  if (started?.endsWith('npm-cli.js') && existsSync(started)) return { command: process.execPath, args: [started] };
  return { command: process.platform === 'win32' ? 'npm.cmd' : 'npm', args: [] };
}

/** @param {string} root */
function stampFile(root) {
  return join(root, 'node_modules', '.set-up-stamp');
}

/**
 * Names what an installation depends on.
 *
 * @param {string} root
 * @param {Tools} tools
 */
function stampOf(root, tools) {
  const hash = createHash('sha256');
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const manifests = folders.map((folder) => join(folder.name, 'package.json')).sort();
  for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', ...manifests]) {
    const path = join(root, name);
    if (existsSync(path)) hash.update(name).update('\0').update(readFileSync(path)).update('\0');
  }
  const version = tools.node === process.execPath ? process.versions.node : pinned.node;
  return hash.update(`${version} ${pinned.pnpm} ${process.platform} ${process.arch}`).digest('hex');
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
 * What was installed last: for which manifests, and the rank of its extent, -1 for none.
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
  for (const call of callsOf[extent]) {
    await runStep(tools.pnpm, ['install', ...call, ...flags], {
      root,
      say,
      onChild,
      npm: findNpm(),
      needsRegistry: false,
      what: 'Installing the packages',
      // Scripts of packages (there are few) must find the Node.js that will use them.
      path: dirname(tools.node),
      hint: `See what pnpm says above. When it speaks of an outdated lock file, a package.json was changed by hand: run "${tools.pnpm} install". When it speaks of the network, check the connection and run the command again.`,
    });
  }
  mkdirSync(dirname(stampFile(root)), { recursive: true });
  writeFileSync(stampFile(root), `${stampOf(root, tools)} ${extent}`);
}
