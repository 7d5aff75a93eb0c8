import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AstroIntegration } from 'astro';
import type { Staged } from '../stage/staged.ts';
import { llmsTexts } from './llms-texts.ts';
import { describeFiles, manifestName } from './manifest.ts';
import { searchWeight } from './search-weight.ts';

/** Sets the weight of each page in the search, before the index is built. */
export function prepareForIndex(): AstroIntegration {
  return {
    name: 'search-weights',
    hooks: {
      'astro:build:done': ({ dir }) => {
        const dist = fileURLToPath(dir);
        for (const file of globSync('**/*.html', { cwd: dist })) {
          const html = readFileSync(join(dist, file), 'utf8');
          const weight = searchWeight(dirname(file).replaceAll('\\', '/'));
          const weighed = html.replace('data-pagefind-body', `data-pagefind-body data-pagefind-weight="${weight}"`);
          if (weighed !== html) writeFileSync(join(dist, file), weighed);
        }
      },
    },
  };
}

/** Writes the Markdown beside each page, the texts for language models, and the manifest of all files. */
export function finishAfterIndex(staged: Staged): AstroIntegration {
  return {
    name: 'copies-and-manifest',
    hooks: {
      'astro:build:done': ({ dir }) => {
        const dist = fileURLToPath(dir);
        for (const { path, markdown } of staged.pages) writeFileSync(join(dist, `${path}.md`), markdown);
        for (const [name, text] of Object.entries(llmsTexts(staged))) writeFileSync(join(dist, name), text);
        writeFileSync(join(dist, manifestName), `${JSON.stringify(describeFiles(dist), null, 2)}\n`);
      },
    },
  };
}
