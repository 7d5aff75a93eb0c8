import { satteri } from '@astrojs/markdown-satteri';
import starlight from '@astrojs/starlight';
import type { StarlightUserConfig } from '@astrojs/starlight/types';
import { defineConfig, passthroughImageService } from 'astro/config';
import linksValidator from 'starlight-links-validator';
import { siteContents } from './contents.ts';
import type { ContentsEntry } from './entries.ts';
import { preparePagesForSearch, writeDerivedFiles } from './finish/integrations.ts';
import { searchRanking } from './finish/search-weight.ts';
import { readStagedSite, sitePath } from './stage/staged.ts';

type Sidebar = NonNullable<StarlightUserConfig['sidebar']>;

const staged = readStagedSite();
const known = new Set(staged.pages.map(({ path }) => path));

// The build must not contact other machines, so there are no remote fonts, images or telemetry.
export default defineConfig({
  base: sitePath,
  trailingSlash: 'always',
  devToolbar: { enabled: false },
  // Keeps the `--` of options instead of converting it to a dash.
  markdown: { processor: satteri({ features: { smartPunctuation: { dashes: false } } }) },
  image: { service: passthroughImageService() },
  // Both packages load a native module, which cannot be bundled.
  vite: { ssr: { external: ['@astrojs/markdown-satteri', 'satteri'] } },
  integrations: [
    preparePagesForSearch(),
    starlight({
      title: 'Agent Platform',
      favicon: '/favicon.svg',
      customCss: ['../server/src/web/assets/tokens.css', './src/styles/site.css', './src/styles/tabs.css'],
      credits: false,
      pagination: true,
      pagefind: { ranking: searchRanking },
      components: { EditLink: './src/components/MarkdownLink.astro', Hero: './src/components/FrontHero.astro' },
      sidebar: siteContents.map((group) => toSidebar(group)).filter((group) => group !== undefined),
      plugins: [linksValidator({ errorOnLocalLinks: false, exclude: ['/docs/', '/docs/**/*.md', '/docs/files/**'] })],
    }),
    writeDerivedFiles(staged),
  ],
});

function toSidebar(entry: ContentsEntry, depth = 0): Sidebar[number] | undefined {
  if ('entries' in entry) {
    const items = entry.entries.flatMap((part) => toSidebar(part, depth + 1) ?? []);
    return { label: entry.label, items, collapsed: depth > 0 };
  }
  if ('source' in entry) {
    if (!known.has(entry.path)) return undefined;
    const label = entry.label === undefined ? {} : { label: entry.label };
    const parts = staged.parts[entry.path];
    if (parts === undefined) return { slug: entry.path, ...label };
    const own = parts.map(({ path, title }) => ({ slug: path, label: title }));
    return { label: entry.label ?? '', items: [{ slug: entry.path, label: 'Overview' }, ...own], collapsed: true };
  }
  if (entry.made === 'http') return listOperations(entry.label);
  const items = staged.sdkPages.map(({ path, title }) => ({ slug: path, label: title }));
  return { label: entry.label, items, collapsed: true };
}

function listOperations(label: string): Sidebar[number] {
  const [overview, ...operations] = staged.httpPages;
  const groups = [...Map.groupBy(operations, ({ tag }) => tag)].map(([tag, own]) => ({
    ...{ label: tag, collapsed: true, items: own.map(({ path, title }) => ({ slug: path, label: title })) },
  }));
  return { label, items: [{ slug: overview?.path ?? '', label: 'Overview' }, ...groups], collapsed: true };
}
