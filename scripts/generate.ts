import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { documents as benchDocuments } from '@agent-platform/bench/documents';
import { documents as cliDocuments, releaseDocuments } from '@agent-platform/cli/documents';
import { documents as conformanceDocuments } from '@agent-platform/conformance/documents';
import { documents as contractDocuments } from '@agent-platform/contract/documents';
import { documents as serverDocuments } from '@agent-platform/server/documents';
import { isPublished } from '../install-lines.ts';
import { installDocuments, printInstallLines } from './install-blocks.ts';
import { registryDocuments } from './registry-entry.ts';

// Writes the files that are generated from the contract, the settings of the server, the requirements of the suite, the
// catalogue of the CLI, the design tokens, the committed runs of the bench, release.json and the manifests, or with
// --check reports which of them are out of date. With --release it also writes the promises the next release must keep.
const root = new URL('..', import.meta.url);
const designTokens = readFileSync(new URL('server/src/web/assets/tokens.css', root), 'utf8');
const printed: Record<string, () => string> = {
  ...installDocuments,
  ...registryDocuments,
  ...contractDocuments,
  ...serverDocuments,
  ...conformanceDocuments,
  ...cliDocuments,
  ...benchDocuments,
  'conformance/src/reports/design-tokens.ts': printDesignTokens,
  ...(process.argv.includes('--release') ? releaseDocuments : {}),
};

function printDesignTokens(): string {
  return `// Printed by "npm run generate" from server/src/web/assets/tokens.css.

/** The design tokens of the project, as CSS. */
export const designTokens = \`${designTokens}\`;
`;
}

const isCheck = process.argv.includes('--check');
for (const [path, print] of Object.entries(printed)) {
  const place = new URL(path, root);
  const text = path.endsWith('.md') ? printInstallLines(print(), isPublished) : print();
  if (existsSync(place) && readFileSync(place, 'utf8') === text) continue;
  if (isCheck) {
    console.error(`${path} differs from what the sources generate now. Run "npm run generate" and commit the result.`);
    process.exitCode = 1;
  } else {
    mkdirSync(dirname(fileURLToPath(place)), { recursive: true });
    writeFileSync(place, text);
    console.error(`${path} written`);
  }
}
