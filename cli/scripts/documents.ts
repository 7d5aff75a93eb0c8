import { renderLlms } from './print-llms.ts';
import { renderReference } from './print-reference.ts';
import { renderSkill } from './print-skill.ts';
import { buildSurface } from './print-surface.ts';
import { listPromises } from './promises.ts';

const surface = buildSurface();

/** The files generated from the catalogue, by their paths in the repository. */
export const documents: Readonly<Record<string, () => string>> = {
  'cli-core/commands.json': () => `${JSON.stringify(surface, null, 2)}\n`,
  'cli/docs/commands.md': () => renderReference(surface),
  'skills/agentp/SKILL.md': () => renderSkill(surface),
  'cli/llms.txt': () => renderLlms(surface),
};

/** The files that each release generates; later versions are compared with them. */
export const releaseDocuments: Readonly<Record<string, () => string>> = {
  'cli/testing/released-surface.txt': () => `${listPromises(surface).join('\n')}\n`,
};
