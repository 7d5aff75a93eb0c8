import { resolve } from 'node:path';
import { satteri } from '@astrojs/markdown-satteri';
import starlight from '@astrojs/starlight';
import type { StarlightUserConfig } from '@astrojs/starlight/types';
import { defineConfig, passthroughImageService } from 'astro/config';
import linksValidator from 'starlight-links-validator';
import openApi, { openAPISidebarGroups } from 'starlight-openapi';
import { contents, type Entry } from './contents.ts';
import { finishAfterIndex, prepareForIndex } from './finish/integrations.ts';
import { base, readStaged } from './stage/staged.ts';

type Sidebar = NonNullable<StarlightUserConfig['sidebar']>;

// With blanks as they are: the plugin would encode a path, and its reader encode it once more.
const openApiFile = `file://${resolve(import.meta.dirname, '../docs/reference/openapi.json')}`;

const staged = readStaged();
const known = new Set(staged.pages.map(({ path }) => path));

// Nothing of the build asks another machine: no remote fonts, images or telemetry.
export default defineConfig({
  base,
  trailingSlash: 'always',
  devToolbar: { enabled: false },
  // `--` begins an option.
  markdown: { processor: satteri({ features: { smartPunctuation: { dashes: false } } }) },
  image: { service: passthroughImageService() },
  // Both load a native module, which cannot be bundled.
  vite: { ssr: { external: ['@astrojs/markdown-satteri', 'satteri'] } },
  integrations: [
    prepareForIndex(),
    starlight({
      title: 'Agent Platform',
      favicon: '/favicon.svg',
      customCss: ['../server/src/web/assets/tokens.css', './src/styles/site.css'],
      credits: false,
      pagination: true,
      components: { EditLink: './src/components/MarkdownLink.astro', Hero: './src/components/FrontHero.astro' },
      sidebar: contents.map((group) => toSidebar(group)).filter((group) => group !== undefined),
      plugins: [
        openApi([
          {
            base: 'reference/http',
            schema: openApiFile,
            sidebar: { label: 'HTTP API', collapsed: true },
          },
        ]),
        linksValidator({ errorOnLocalLinks: false, exclude: ['/docs/', '/docs/**/*.md', '/docs/files/**'] }),
      ],
    }),
    finishAfterIndex(staged),
  ],
});

function toSidebar(entry: Entry, depth = 0): Sidebar[number] | undefined {
  if ('entries' in entry) {
    const items = entry.entries.flatMap((part) => toSidebar(part, depth + 1) ?? []);
    return { label: entry.label, items, collapsed: depth > 0 };
  }
  if ('source' in entry) {
    if (!known.has(entry.path)) return undefined;
    return { slug: entry.path, ...(entry.label === undefined ? {} : { label: entry.label }) };
  }
  if (entry.made === 'http') return openAPISidebarGroups as Sidebar[number];
  const items = staged.sdkPages.map(({ path, title }) => ({ slug: path, label: title }));
  return { label: entry.label, items, collapsed: true };
}
