import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPublished } from '../install-lines.ts';
import { readProject } from './published-manifest.mjs';
import { root } from './published-packages.ts';

// In the registry, the owner of a GitHub account may use the names that begin with the account's name. Until the
// project has a repository address, the npm scope is used instead.
function nameServer(repository: string): string {
  const [, owner = 'agent-platform'] = /^https:\/\/github\.com\/([^/]+)\//.exec(repository) ?? [];
  return `io.github.${owner}/agent-platform`;
}

/**
 * Builds the entry of the MCP server in the MCP registry (`server.json`). Omits the repository until it has an address,
 * and the package until it is published: otherwise clients would start a package that a stranger published.
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

/** The files that contain the registry's name of the MCP server, by path in the repository. */
export const registryDocuments: Readonly<Record<string, () => string>> = {
  'server.json': () =>
    `${JSON.stringify(buildRegistryEntry(JSON.parse(readManifest()), repository, isPublished), null, 2)}\n`,
  [path]: () => readManifest().replace(/(?<="mcpName": ")[^"]*/, nameServer(repository)),
};
