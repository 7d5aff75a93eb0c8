import type { Report, RequirementOutcome } from '../../verdict/report.ts';
import type { Verdict } from '../../verdict/verdict.ts';
import { areasOf } from '../areas.ts';
import { escapeHtml } from '../readable.ts';

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
