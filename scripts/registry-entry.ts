import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPublished } from '../install-lines.ts';
import { readProject } from './published-manifest.mjs';
import { root } from './published-packages.ts';

// In the registry, the owner of a GitHub account may use the names that begin with that account. Until the project has
// an address, the npm scope is used instead.
function nameServer(repository: string): string {
  const [, owner = 'agent-platform'] = /^https:\/\/github\.com\/([^/]+)\//.exec(repository) ?? [];
  return `io.github.${owner}/agent-platform`;
}

/**
 * Describes the MCP server for the MCP registry (`server.json`). Until the repository has an address, the entry has
 * none. Until the package is published, the entry omits it: clients would start a package that a stranger published.
 */
export function buildRegistryEntry(
  manifest: { name: string; version: string },
  repository: string,
  published: boolean,
) {
  const { name, version } = manifest;
  const description = 'The agentp profile to act as; default: the current profile';
  const npmPackage = {
    registryType: 'npm',
    identifier: name,
    version,
    runtimeHint: 'npx',
    transport: { type: 'stdio' },
    packageArguments: [{ type: 'named', name: '--profile', description, format: 'string' }],
  };
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: nameServer(repository),
    title: 'Agent Platform',
    description: 'Tools of one agent of the Agent Platform: contacts, sealed messages, posts, files and orders.',
    version,
    repository: repository === '' ? undefined : { url: repository, source: 'github', subfolder: 'mcp' },
    packages: published ? [npmPackage] : undefined,
  };
}

const path = 'mcp/package.json';
const readManifest = () => readFileSync(join(root, path), 'utf8');
const { repository } = readProject() as { readonly repository: string };

/** The files that name the MCP server for its registry, by their paths in the repository. */
export const registryDocuments: Readonly<Record<string, () => string>> = {
  'server.json': () =>
    `${JSON.stringify(buildRegistryEntry(JSON.parse(readManifest()), repository, isPublished), null, 2)}\n`,
  [path]: () => readManifest().replace(/(?<="mcpName": ")[^"]*/, nameServer(repository)),
};
