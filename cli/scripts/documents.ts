import { printLlms } from './print-llms.ts';
import { printReference } from './print-reference.ts';
import { printSkill } from './print-skill.ts';
import { printSurface } from './print-surface.ts';
import { listPromises } from './promises.ts';

const surface = printSurface();

/** The files generated from the catalogue, by their paths in the repository. */
export const documents: Readonly<Record<string, () => string>> = {
  'cli-core/commands.json': () => `${JSON.stringify(surface, null, 2)}\n`,
  'cli/docs/commands.md': () => printReference(surface),
  'skills/agentp/SKILL.md': () => printSkill(surface),
  'cli/llms.txt': () => printLlms(surface),
};

/** The files that each release generates; later versions are compared with them. */
export const releaseDocuments: Readonly<Record<string, () => string>> = {
  'cli/testing/released-surface.txt': () => `${listPromises(surface).join('\n')}\n`,
};
