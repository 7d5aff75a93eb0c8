import { errorCodes } from '../src/index.ts';
import { errorGuide } from './error-guide.ts';

/** Prints the cause of each error code as the hover text of a type. */
export function printErrorTexts(): string {
  const members = errorCodes.map((code) => {
    const cause = errorGuide[code].cause.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
    return `  /** ${cause} */\n  readonly ${code}: true;\n`;
  });
  return `// Printed by "npm run generate" from scripts/error-guide.ts.

/** The codes of the API, each with its cause. */
export interface ApiErrorMeanings {
${members.join('')}}
`;
}
