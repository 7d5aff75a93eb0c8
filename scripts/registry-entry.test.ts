import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './published-packages.ts';
import { buildRegistryEntry } from './registry-entry.ts';

const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const manifest = read('mcp/package.json');
// The JSON conversion removes members without a value, as when the entry is stored.
const describe = (repository: string, published: boolean) =>
  JSON.parse(JSON.stringify(buildRegistryEntry(manifest, repository, published)));
const address = 'https://github.com/owner/project';

// The rules are those of the registry's schema of 2025-12-11 and of its pages on npm packages and ownership.
const exact = expect.stringMatching(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/);
const upTo100 = expect.stringMatching(/^.{1,100}$/);
const common = {
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: expect.stringMatching(/^(?=.{3,200}$)io\.github\.[a-zA-Z0-9-]+\/[a-zA-Z0-9._-]+$/),
  title: upTo100,
  description: upTo100,
  version: exact,
};

it('has exactly the members that the registry permits before the first release: no package and no repository', () => {
  expect(describe('', false)).toEqual(common);
});

it('after the first release names the repository, and the npm package with its arguments', () => {
  const argument = { type: 'named', name: '--profile', description: expect.any(String), format: 'string' };
  const transport = { type: 'stdio' };
  const ofNpm = { registryType: 'npm', runtimeHint: 'npx', transport, packageArguments: [argument] };

  expect(describe(address, true)).toEqual({
    ...common,
    name: 'io.github.owner/agent-platform',
    repository: { url: address, source: 'github', subfolder: 'mcp' },
    packages: [{ ...ofNpm, identifier: manifest.name, version: manifest.version }],
  });
});

it('has the name and the version from the manifest of the package', () => {
  expect(read('server.json')).toMatchObject({ name: manifest.mcpName, version: manifest.version });
});
