import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeProject } from './published-manifest.mjs';
import { findPublishedPackages, type PackageManifest } from './published-packages.ts';

const root = new URL('..', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const manifests = readdirSync(root)
  .filter((name) => !name.startsWith('.') && existsSync(new URL(`${name}/package.json`, root)))
  .map((name): PackageManifest => JSON.parse(read(`${name}/package.json`)));

describe('a release', () => {
  it('has the same version for all packages', () => {
    const { fixed, access } = JSON.parse(read('.changeset/config.json'));

    expect(new Set(manifests.map(({ version }) => version)).size).toBe(1);
    for (const { name } of manifests) expect(name).toMatch(/^@agent-platform\/|^create-agent-platform$/);
    expect({ fixed, access }).toEqual({ fixed: [['@agent-platform/*', 'create-agent-platform']], access: 'public' });
  });

  it('is requested by files that name published packages', () => {
    const published = findPublishedPackages().map((name): string => JSON.parse(read(`${name}/package.json`)).name);
    const named = readdirSync(new URL('.changeset', root))
      .filter((name) => name.endsWith('.md'))
      .flatMap((name) => [...read(`.changeset/${name}`).matchAll(/^["'](.+)["']: (?:major|minor|patch)$/gm)])
      .map(([, name = '']) => name);

    for (const name of named) expect(published).toContain(name);
    expect(read('CHANGELOG.md')).toContain('\n## Unreleased\n');
  });

  it('names the project in each manifest, and its address where the root manifest has one', () => {
    const author = 'The authors';
    const repository = 'https://example.org/platform';

    expect(describeProject({ author, repository: '' }, 'sdk')).toEqual({ author });
    expect(describeProject({ author, repository }, 'sdk')).toEqual({
      author,
      repository: { type: 'git', url: 'git+https://example.org/platform.git', directory: 'sdk' },
      homepage: 'https://example.org/platform/tree/main/sdk#readme',
      bugs: 'https://example.org/platform/issues',
    });
    expect(JSON.parse(read('package.json'))).toMatchObject({
      author: expect.any(String),
      repository: expect.any(String),
    });
  });
});
