import { printSurface } from './print-surface.ts';

/** The files of this package that are printed from the catalogue, by their paths in the repository. */
export const documents: Readonly<Record<string, () => string>> = {
  'cli/commands.json': () => `${JSON.stringify(printSurface(), null, 2)}\n`,
};
