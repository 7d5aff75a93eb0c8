import { printRequirements } from './print-requirements.ts';
import { printResults } from './print-results.ts';

/** The documents that are printed from the suite, by their paths in the repository. */
export const documents: Readonly<Record<string, () => string>> = {
  'docs/reference/conformance.md': printRequirements,
  'docs/reference/results.md': printResults,
};
