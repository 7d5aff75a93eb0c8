import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = new URL('..', import.meta.url);
const lockFile = readFileSync(new URL('pnpm-lock.yaml', root), 'utf8');

function manifests(): readonly (readonly [path: string, manifest: Record<string, Record<string, string>>])[] {
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return ['package.json', ...folders.map((folder) => `${folder.name}/package.json`)]
    .filter((path) => existsSync(new URL(path, root)))
    .map((path) => [path, JSON.parse(readFileSync(new URL(path, root), 'utf8'))] as const);
}

/** Finds packages that are not resolved from the registry with a hash. */
function findForeignResolutions(lock: string): readonly string[] {
  return [...lock.matchAll(/resolution: \{(.*)\}/g)]
    .map(([, resolution = '']) => resolution)
    .filter((resolution) => !/^integrity: sha512-[A-Za-z0-9+/=]+$/.test(resolution));
}

describe('the dependencies', () => {
  it('come from the registry with their hashes, never from git or an address', () => {
    expect(lockFile).toMatch(/resolution: \{integrity: sha512-/);
    expect(findForeignResolutions(lockFile)).toEqual([]);
  });

  it.each([
    'resolution: {tarball: https://example.org/x.tgz}',
    'resolution: {integrity: sha512-AAAA, tarball: https://example.org/x.tgz}',
    'resolution: {commit: 0123, repo: https://example.org/x.git, type: git}',
    'resolution: {directory: ../x, type: directory}',
  ])('would be caught as %s', (line) => {
    expect(findForeignResolutions(line)).toHaveLength(1);
  });

  it('do not tie the lock file to one host', () => {
    expect(lockFile).not.toMatch(/https?:\/\/|git\+|codeload/);
  });

  it.each([
    ['bench/peers', 'bench-peers', 50],
    ['scripts/lab/frameworks', 'frameworks', 30],
    ['scripts/lab/install-lines', 'install-lines', 50],
    ['scripts/lab/workers-runtime', 'workers-runtime', 50],
  ])('of %s come with their hashes, from any registry', (folder, name, more) => {
    const { packages } = JSON.parse(readFileSync(new URL(`${folder}/package-lock.json`, root), 'utf8'));
    const { '': own, ...locked } = packages;

    expect(own).toMatchObject({ name });
    expect(Object.keys(locked).length).toBeGreaterThan(more);
    for (const entry of Object.values(locked)) {
      expect(entry).toMatchObject({ integrity: expect.stringMatching(/^sha512-/) });
      expect(entry).not.toHaveProperty('resolved');
    }
  });

  it.each(manifests())('of %s are named by version, catalog or workspace', (_path, manifest) => {
    for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']) {
      for (const range of Object.values(manifest[kind] ?? {})) {
        expect(range).toMatch(/^(catalog:|workspace:\*|[\^~>=<]*\d[\w.-]*)$/);
      }
    }
  });
});

describe('the workflows', () => {
  const folder = new URL('.github/workflows/', root);
  const workflows = readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const);

  it.each(workflows)(
    '%s uses actions by their hashes, has only read permission, needs no secret, and starts commands that exist',
    (_, text) => {
      const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
      const commands = [...text.matchAll(/(?:npm run (?:-s )?|scripts\/run\.mjs )([a-z-]+)/g)].map(
        ([, name = '']) => name,
      );

      for (const [, action] of text.matchAll(/uses: (.*)$/gm))
        expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d/);
      expect(text).toMatch(/^permissions:\n {2}contents: read\n\n/m);
      expect(text.match(/actions\/checkout@/g)).toHaveLength(text.match(/persist-credentials: false/g)?.length ?? 0);
      expect(Object.keys(scripts)).toEqual(expect.arrayContaining(commands));
      expect(commands.length).toBeGreaterThan(0);
      expect(text).not.toMatch(/secrets\.|_TOKEN: (?!\$\{\{ github\.token \}\})/);
    },
  );
});

it('the bill of materials names the licence of each package of the server', async () => {
  const script = fileURLToPath(new URL('scripts/sbom.ts', root));
  const { stdout } = await promisify(execFile)(process.execPath, [script], { maxBuffer: 10_000_000 });
  const { bomFormat, specVersion, metadata, components, dependencies } = JSON.parse(stdout);
  const references = [metadata.component, ...components].map((component) => component['bom-ref']);

  expect({ bomFormat, specVersion }).toEqual({ bomFormat: 'CycloneDX', specVersion: '1.7' });
  expect(metadata.component).toMatchObject({ type: 'application', group: '@agent-platform', name: 'server' });
  expect(components.length).toBeGreaterThan(100);
  expect(components.filter(({ licenses = [] }) => licenses.length === 0)).toEqual([]);
  expect(new Set(references).size).toBe(references.length);
  for (const { ref, dependsOn = [] } of dependencies)
    expect(references).toEqual(expect.arrayContaining([ref, ...dependsOn]));
});
