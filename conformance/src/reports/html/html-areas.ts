import type { Report, RequirementOutcome, Verdict } from '../../verdict/report.ts';
import { escapeHtml } from '../readable.ts';

export function formatRequirementsByArea(report: Report): string {
  const { requirements, checks } = report;
  const failing = new Set(checks.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id));
  // The style sheet hides the requirements with other verdicts than the chosen one, so the page needs no script.
  const verdicts = Object.keys(toneByVerdict) as readonly Verdict[];
  const present = verdicts.filter((verdict) => requirements.some((outcome) => outcome.verdict === verdict));
  const choices = present.map((verdict) => {
    const count = requirements.filter((outcome) => outcome.verdict === verdict).length;
    return `<label><input type="radio" name="show" id="show-${toneByVerdict[verdict]}"> ${verdict} <small>${count}</small></label>`;
  });
  return `<section id="requirements"><h2>All requirements <small>${requirements.length}</small></h2>
<fieldset><legend>Show</legend><label><input type="radio" name="show" id="show-all" checked> all</label>${choices.join('')}</fieldset>
${areasOf(report)
  .map((area) => printArea(area, failing))
  .join('\n')}
</section>`;
}

function printArea(
  { code, name, outcomes, bad, summary }: ReturnType<typeof areasOf>[number],
  failing: ReadonlySet<string>,
): string {
  const fault = bad === 0 ? '' : ` <strong>${bad} to fix</strong>`;
  return `<details${bad > 0 ? ' open' : ''}><summary><b>${escapeHtml(name)}</b> <code>AP-${escapeHtml(code)}</code><small>${summary}${fault}</small></summary>
<table id="area-${escapeHtml(code)}"><tbody>${outcomes.map((outcome) => printRequirement(outcome, failing)).join('')}</tbody></table></details>`;
}

function printRequirement(outcome: RequirementOutcome, failing: ReadonlySet<string>): string {
  const { requirement, verdict, reason, expected, checks } = outcome;
  const links = checks
    .filter((id) => failing.has(id))
    .map((id) => ` <a href="#check-${escapeHtml(id)}">${escapeHtml(id)}</a>`);
  const why =
    verdict === 'failed'
      ? `${expected === undefined ? '' : `expected to fail: ${escapeHtml(expected)}`}${links.join('')}`
      : escapeHtml(reason);
  return `<tr id="${requirement.id}" class="${toneByVerdict[verdict]}"><td><code>${requirement.id}</code></td><td>${escapeHtml(requirement.says)}${why === '' ? '' : ` <small>${why}</small>`}</td><td><span class="pill">${verdict}</span></td></tr>`;
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

/**
 * The areas of a report, in the order of its requirements; the code of an area is the second part of their ids. `bad`
 * counts the requirements that failed unexpectedly, had an error or are stale.
 */
function areasOf({ requirements }: Report) {
  const byCode = Map.groupBy(requirements, ({ requirement }) => requirement.id.split('-')[1] ?? '');
  return [...byCode].map(([code, outcomes]) => {
    const unexpected = outcomes.filter(({ verdict, expected }) => verdict === 'failed' && expected === undefined);
    const others = outcomes.filter(({ verdict, isStale }) => isStale || verdict === 'error');
    const bad = unexpected.length + others.length;
    const good = outcomes.filter(({ verdict }) => verdict === 'passed').length;
    const inScope = outcomes.filter(({ verdict }) => verdict !== 'not applicable').length;
    const stale = outcomes.filter(({ isStale }) => isStale).length;
    const passed = `${good} of ${inScope} passed${stale === 0 ? '' : `, ${stale} stale`}`;
    const summary = inScope === 0 ? 'nothing to judge' : passed;
    return { code, name: names[code] ?? code, outcomes, bad, summary };
  });
}

/** A segment of a bar; the tone is a CSS class. */
export type BarSegment = readonly [label: string, count: number, tone: string];

export const toneByVerdict: Readonly<Record<Verdict, string>> = {
  passed: 'passed',
  failed: 'failed',
  error: 'error',
  inconclusive: 'inconclusive',
  'not tested': 'untested',
  'not judged': 'unjudged',
  'not applicable': 'beyond',
};

export function formatAreaOverview(report: Report): string {
  const cards = areasOf(report).map(({ code, name, outcomes, bad, summary }) => {
    const tones = Object.groupBy(outcomes, ({ verdict, expected }) =>
      verdict === 'failed' && expected !== undefined ? 'expected' : toneByVerdict[verdict],
    );
    const inOrder = ['passed', 'failed', 'error', 'expected', 'inconclusive', 'untested', 'unjudged', 'beyond'];
    const shares = inOrder.map((tone): BarSegment => [tone, tones[tone]?.length ?? 0, tone]);
    const fault = bad > 0 ? ` class="bad"` : '';
    return `<li><a${fault} href="#area-${escapeHtml(code)}"><b>${escapeHtml(name)}</b><small>${summary}</small>${formatBar(shares, 'mini')}</a></li>`;
  });
  return `<section id="areas"><h2>Areas</h2><ul class="areas">${cards.join('')}</ul></section>`;
}

const barWidth = 1_000;
const partMinWidth = 12;

/** Formats a bar whose segments are proportional to their counts, without the requirements that are not applicable. */
export function formatBar(shares: readonly BarSegment[], kind: 'bar' | 'mini'): string {
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
  const summary = kind === 'bar' ? `role="img" aria-label="${label}"` : 'aria-hidden="true"';
  return `<svg class="${kind}" viewBox="0 0 ${end.toFixed(1)} 10" preserveAspectRatio="none" ${summary}>${parts.join('')}</svg>`;
}
