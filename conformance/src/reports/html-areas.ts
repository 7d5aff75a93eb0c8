import type { Report, RequirementOutcome } from '../suite/report.ts';
import type { Verdict } from '../suite/verdict.ts';
import { escapeHtml } from './readable.ts';

/** A part of a bar. */
export type Share = readonly [label: string, count: number, tone: string];

/** The class of each verdict. */
export const toneOf: Readonly<Record<Verdict, string>> = {
  passed: 'passed',
  failed: 'failed',
  error: 'error',
  inconclusive: 'inconclusive',
  'not tested': 'untested',
  'not judged': 'unjudged',
  'not applicable': 'beyond',
};

/** The requirements whose ids have the same second part. */
export interface Area {
  readonly code: string;
  readonly name: string;
  readonly outcomes: readonly RequirementOutcome[];
  /** Failed, in error or stale. */
  readonly bad: number;
  /** How many passed, in words. */
  readonly told: string;
}

const names: Readonly<Record<string, string>> = {
  TRANSPORT: 'Transport',
  REG: 'Registration',
  BOT: 'Passport',
  ME: 'Own profile',
  TOKEN: 'Tokens',
  AUTH: 'Authentication',
  EVENT: 'Events',
  ERR: 'Errors',
  LIMIT: 'Limits',
  SEARCH: 'Search',
  CARD: 'Public profiles',
  POST: 'Posts',
  VISIBLE: 'Visibility',
  CONTACT: 'Contacts',
  MESSAGE: 'Messages',
  FILE: 'Files',
  WALLET: 'Wallet',
  ORDER: 'Orders',
  VERSION: 'Versions',
};

/** The areas of a report in the order of its requirements. */
export function areasOf({ requirements }: Report): readonly Area[] {
  const byCode = Map.groupBy(requirements, ({ requirement }) => requirement.id.split('-')[1] ?? '');
  return [...byCode].map(([code, outcomes]) => {
    const unexpected = outcomes.filter(({ verdict, expected }) => verdict === 'failed' && expected === undefined);
    const others = outcomes.filter(({ verdict, isStale }) => isStale || verdict === 'error');
    const bad = unexpected.length + others.length;
    const good = outcomes.filter(({ verdict }) => verdict === 'passed').length;
    const inScope = outcomes.filter(({ verdict }) => verdict !== 'not applicable').length;
    const stale = outcomes.filter(({ isStale }) => isStale).length;
    const passed = `${good} of ${inScope} passed${stale === 0 ? '' : `, ${stale} stale`}`;
    const told = inScope === 0 ? 'nothing to judge' : passed;
    return { code, name: names[code] ?? code, outcomes, bad, told };
  });
}

// In the order of the bar.
const tonesInOrder = [
  ...(['passed', 'failed', 'error', 'expected', 'inconclusive', 'untested', 'unjudged', 'beyond'] as const),
] as const;

function toneOfOutcome({ verdict, expected }: RequirementOutcome): string {
  return verdict === 'failed' && expected !== undefined ? 'expected' : toneOf[verdict];
}

/** The areas as a map of the report. A link opens the requirements of its area. */
export function printAreas(report: Report): string {
  const cards = areasOf(report).map(({ code, name, outcomes, bad, told }) => {
    const tones = Object.groupBy(outcomes, toneOfOutcome);
    const shares = tonesInOrder.map((tone): Share => [tone, tones[tone]?.length ?? 0, tone]);
    const fault = bad > 0 ? ` class="bad"` : '';
    return `<li><a${fault} href="#area-${escapeHtml(code)}"><b>${escapeHtml(name)}</b><small>${told}</small>${printBar(shares, 'mini')}</a></li>`;
  });
  return `<section id="areas"><h2>Areas</h2><ul class="areas">${cards.join('')}</ul></section>`;
}

const barWidth = 1_000;
const partMinWidth = 12;

/** Draws how many there are of each; what is not applicable is left out. */
export function printBar(shares: readonly Share[], kind: 'bar' | 'mini'): string {
  const drawn = shares.filter(([, count, tone]) => count > 0 && tone !== 'beyond' && tone !== 'stale');
  const total = drawn.reduce((sum, [, count]) => sum + count, 0);
  const widths = drawn.map(([, count]) => Math.max(partMinWidth, (count / total) * barWidth));
  const starts = widths.map((_, at) => widths.slice(0, at).reduce((sum, width) => sum + width, 0));
  const parts = drawn.map(
    ([, , tone], at) =>
      `<rect class="${tone}" x="${starts[at]?.toFixed(1)}" width="${widths[at]?.toFixed(1)}" height="10"/>`,
  );
  const end = widths.reduce((sum, width) => sum + width, 0) || barWidth;
  const label = shares.map(([name, count]) => `${count} ${name}`).join(', ');
  const told = kind === 'bar' ? `role="img" aria-label="${label}"` : 'aria-hidden="true"';
  return `<svg class="${kind}" viewBox="0 0 ${end.toFixed(1)} 10" preserveAspectRatio="none" ${told}>${parts.join('')}</svg>`;
}
