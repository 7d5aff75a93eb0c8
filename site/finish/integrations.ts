import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AstroIntegration } from 'astro';
import { type StagedSite, sitePath } from '../stage/staged.ts';
import { formatLlmsTexts } from './llms-texts.ts';
import { buildSiteManifest, siteManifestName } from './manifest.ts';
import { repairPage } from './repair-page.ts';
import { addSearchWeights } from './search-weight.ts';

/** Runs before the search index is built. */
export function preparePagesForSearch(): AstroIntegration {
  return {
    name: 'repair-and-weights',
    hooks: {
      'astro:build:done': ({ dir }) => {
        const dist = fileURLToPath(dir);
        for (const file of globSync('**/*.html', { cwd: dist })) {
          const html = readFileSync(join(dist, file), 'utf8');
          const path = dirname(file).replaceAll('\\', '/');
          const repaired = addSearchWeights(path, repairPage(path, html));
          if (repaired !== html) writeFileSync(join(dist, file), repaired);
        }
      },
    },
  };
}

/** Writes the Markdown of each page, the `llms*.txt` files, and the manifest that the server needs to serve them. */
export function writeDerivedFiles(staged: StagedSite): AstroIntegration {
  return {
    name: 'copies-and-manifest',
    hooks: {
      'astro:build:done': ({ dir }) => {
        const dist = fileURLToPath(dir);
        for (const { path, markdown } of staged.pages) {
          mkdirSync(dirname(join(dist, path)), { recursive: true });
          writeFileSync(join(dist, `${path}.md`), withHint(markdown));
        }
        for (const [name, text] of Object.entries(formatLlmsTexts(staged))) writeFileSync(join(dist, name), text);
        writeFileSync(join(dist, siteManifestName), `${JSON.stringify(buildSiteManifest(dist), null, 2)}\n`);
      },
    },
  };
}

function withHint(markdown: string): string {
  return markdown.replace('\n', `\n\n> The list of all pages: [llms.txt](${sitePath}/llms.txt)\n`);
}
