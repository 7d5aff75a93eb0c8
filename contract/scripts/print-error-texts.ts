import { errorCodes } from '../src/index.ts';
import { errorGuide } from './error-guide.ts';

/** Prints the cause of each error code as the hover text of a type. */
export function printErrorTexts(): string {
  const lines = [
    '// Printed by "npm run generate" from scripts/error-guide.ts.\n',
    '/** The codes of the API, each with its cause. */',
    'export interface ApiErrorMeanings {',
  ];
  for (const code of errorCodes) {
    const cause = errorGuide[code].cause.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
    lines.push(`  /** ${cause} */`, `  readonly ${code}: true;`);
  }
  return `${lines.join('\n')}\n}\n`;
}
