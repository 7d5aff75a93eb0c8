import type { Report } from '../verdict/report.ts';
import { readRequirements } from '../verdict/requirements.ts';

/** What a result says in a few words. */
export interface Badge {
  readonly state: 'conformant' | 'failed' | 'incomplete';
  readonly message: string;
}

/** A requirement with its verdict. */
interface Judged {
  readonly id: string;
  readonly verdict: string;
}

/** A badge is green only where everything in the register that applies was judged and passed. */
export function badgeOf(rows: readonly Judged[]): Badge {
  const count = (...verdicts: readonly string[]) => rows.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const failed = count('failed');
  if (failed > 0) return { state: 'failed', message: `${failed} failed` };
  const ids = new Set(rows.map(({ id }) => id));
  const absent = readRequirements().filter(({ id }) => !ids.has(id)).length;
  const open = rows.length - count('passed', 'not applicable') + absent;
  if (open > 0 || count('passed') === 0) return { state: 'incomplete', message: `incomplete: ${open} not judged` };
  return { state: 'conformant', message: `conformant: ${count('passed')} passed` };
}

// Readable beside white letters, and on a dark page.
const colours: Readonly<Record<Badge['state'], string>> = {
  conformant: '#1a7f37',
  failed: '#b42318',
  incomplete: '#6b5900',
};

const label = 'Agent Platform API';

/** The badge of a report: for shields.io where the name of the file ends with .json, else SVG. */
export function printBadge({ requirements }: Report, file: string): string {
  const badge = badgeOf(requirements.map(({ requirement, verdict }) => ({ id: requirement.id, verdict })));
  return file.endsWith('.json') ? printShield(badge) : printSvg(badge);
}

/** The answer that shields.io takes from an endpoint. */
export function printShield({ state, message }: Badge): string {
  const color = colours[state];
  return `${JSON.stringify({ schemaVersion: 1, label, message, color, isError: state !== 'conformant' }, undefined, 2)}\n`;
}

const letterWidth = 6.6;

function printSvg({ state, message }: Badge): string {
  const widths = [label, message].map((text) => Math.round(text.length * letterWidth) + 12);
  const [left = 0, right = 0] = widths;
  const text = (at: number, width: number, content: string) =>
    `  <text x="${at + width / 2}" y="14" textLength="${width - 12}" lengthAdjust="spacingAndGlyphs">${content}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}: ${message}">`,
    `  <title>${label}: ${message}</title>`,
    `  <rect width="${left}" height="20" fill="#444"/>`,
    `  <rect x="${left}" width="${right}" height="20" fill="${colours[state]}"/>`,
    '  <g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">',
    `  ${text(0, left, label)}`,
    `  ${text(left, right, message)}`,
    '  </g>',
    '</svg>',
    '',
  ].join('\n');
}
