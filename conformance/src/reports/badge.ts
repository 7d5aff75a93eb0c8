import type { Report } from '../verdict/report.ts';
import { readRequirements } from '../verdict/requirements.ts';

export interface Badge {
  readonly state: 'conformant' | 'failed' | 'incomplete';
  readonly message: string;
}

export interface JudgedRequirement {
  readonly id: string;
  readonly verdict: string;
  readonly because: readonly string[];
  readonly checks: readonly string[];
}

/** The members of a JSON report that a badge needs. */
export interface BadgeReport {
  readonly profiles: readonly string[];
  readonly without?: readonly string[];
  readonly read_only: boolean;
  readonly plan: { readonly missing: readonly { readonly need: string; readonly ids: readonly string[] }[] };
  readonly requirements: readonly JudgedRequirement[];
}

/**
 * Derives the badge from a report. It is green if all requirements that apply to every server were judged and passed.
 * It names the parts of the API that the server lacks and the optional requirements that were judged.
 */
export function badgeOf(report: BadgeReport): Badge {
  const { requirements: rows, without = [] } = report;
  const count = (...verdicts: readonly string[]) => rows.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const failed = count('failed');
  if (failed > 0) return { state: 'failed', message: `${failed} failed` };
  const ids = new Set(rows.map(({ id }) => id));
  const absent = readRequirements().filter(({ id }) => !ids.has(id)).length;
  const open = rows.length - count('passed', 'not applicable') - optionalRows(report).length + absent;
  if (open > 0 || count('passed') === 0) return { state: 'incomplete', message: `incomplete: ${open} not judged` };
  const named = extrasOf(report);
  const judged = named.flatMap(({ name, isJudged }) => (isJudged ? [name] : []));
  const gaps = named.flatMap(({ name, isJudged }) => (isJudged ? [] : [name]));
  const parts = [
    without.length === 0 ? 'conformant' : `conformant without ${without.join(', ')}`,
    ...(judged.length === 0 ? [] : [`with ${judged.join(', ')}`]),
    ...(gaps.length === 0 ? [] : [`not judged: ${gaps.join(', ')}`]),
  ];
  return { state: 'conformant', message: parts.join(' · ') };
}

// Requirements that were not judged because an option was not given. They do not make the run incomplete.
function optionalRows({ read_only: isReadOnly, requirements }: BadgeReport): readonly JudgedRequirement[] {
  if (isReadOnly) return [];
  return requirements.filter(({ verdict, because }) => verdict === 'not judged' && because.length === 0);
}

const extras = { clock: 'clock', suspension: 'suspension', crowd: 'many agents' } as const;

/** The groups of requirements that need an option, and whether the run judged them. */
function extrasOf(report: BadgeReport) {
  const rows = optionalRows(report);
  const lacks = (need: string, row: JudgedRequirement) =>
    report.plan.missing.some((one) => one.need === need && row.checks.some((id) => one.ids.includes(id)));
  const needs = Object.keys(extras) as (keyof typeof extras)[];
  const others = rows.filter((row) => !needs.some((need) => lacks(need, row))).length;
  return [
    { name: 'limits', isJudged: report.profiles.includes('limits') },
    ...needs.map((need) => ({ name: extras[need], isJudged: !rows.some((row) => lacks(need, row)) })),
    ...(others === 0 ? [] : [{ name: `${others} more`, isJudged: false }]),
  ];
}

// Colours on which white text is readable, even on a dark page.
const colours: Readonly<Record<Badge['state'], string>> = {
  conformant: '#1a7f37',
  failed: '#b42318',
  incomplete: '#6b5900',
};

const label = 'Agent Platform API';

/** Formats the badge of a report: as JSON for shields.io if the file name ends with .json, otherwise as SVG. */
export function formatReportBadge({ requirements, readOnly, ...report }: Report, file: string): string {
  const rows = requirements.map(({ requirement: { id }, ...row }) => ({ id, ...row }));
  return formatBadge(badgeOf({ ...report, requirements: rows, read_only: readOnly }), file);
}

export function formatBadge(badge: Badge, file: string): string {
  return file.endsWith('.json') ? formatShieldJson(badge) : printSvg(badge);
}

export function formatShieldJson({ state, message }: Badge): string {
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
