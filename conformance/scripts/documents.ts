import { printHeadings } from './print-headings.ts';
import { printRequirements } from './print-requirements.ts';
import { printResults } from './print-results.ts';

export { addressOf, readParagraphs } from './read-specification.ts';

/** The documents that are generated from the suite, by their paths in the repository. */
export const documents: Readonly<Record<string, () => string>> = {
  'conformance/src/verdict/specification-headings.ts': printHeadings,
  'docs/reference/conformance.md': printRequirements,
  'docs/reference/results.md': printResults,
};
