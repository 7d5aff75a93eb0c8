import { renderHeadings } from './print-headings.ts';
import { renderRequirements } from './print-requirements.ts';
import { renderResults } from './print-results.ts';

export { paragraphAddressOf, readParagraphs } from './read-specification.ts';

/** The documents that are generated from the suite, by their paths in the repository. */
export const suiteDocuments: Readonly<Record<string, () => string>> = {
  'conformance/src/verdict/specification-headings.ts': renderHeadings,
  'docs/reference/conformance.md': renderRequirements,
  'docs/reference/results.md': renderResults,
};
