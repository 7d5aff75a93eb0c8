import { createHash } from 'node:crypto';
import { type CheckOutcome, countByVerdict, describeRunResult, type Report } from '../../verdict/report.ts';
import { escapeHtml, formatCount, formatDuration } from '../readable.ts';
import { type BarSegment, formatAreaOverview, formatBar, formatRequirementsByArea } from './html-areas.ts';
import { formatFailures } from './html-failures.ts';
import { reportStyleSheet } from './html-style.ts';

const hash = createHash('sha256').update(reportStyleSheet).digest('base64');

/** Formats an HTML page without scripts, fonts and images; its content security policy permits only its style sheet. */
export function formatHtmlReport(report: Report): string {
  const host = escapeHtml(report.baseUrl.replace(/^https?:\/\//, ''));
  const parts = [
    printHeader(report),
    '<main id="main">',
    formatFailures(report),
    formatAreaOverview(report),
    printStale(report),
    printUntested(report),
    printBehaviour(report),
    formatRequirementsByArea(report),
    printCost(report),
    '</main>',
    '<footer><p>Tokens and keys are removed from this page.</p></footer>',
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<title>${words[report.exitCode]} · conformance of ${host}</title>
<style>${reportStyleSheet}</style>
</head>
<body>
${parts.filter((part) => part !== '').join('\n')}
</body>
</html>
`;
}

const words = { 0: 'Passed', 1: 'Failed', 2: 'No verdict', 3: 'Incomplete' } as const;
const tones = { 0: 'passed', 1: 'failed', 2: 'error', 3: 'untested' } as const;

const signs = {
  passed: '<path d="m6 12.5 4 4 8-9"/>',
  failed: '<path d="m7 7 10 10M17 7 7 17"/>',
  error: '<path d="M12 6v7.5m0 4v.5"/>',
  untested: '<path d="M9 9.2a3 3 0 1 1 4.2 2.7c-.8.4-1.2.9-1.2 1.8v.3m0 3.5v.5"/>',
} as const;

function printHeader(report: Report): string {
  const shares = sharesOf(report);
  const tone = tones[report.exitCode];
  const tiles = shares.map(
    ([label, count, of]) => `<div class="${count > 0 ? of : 'beyond'}"><dt>${label}</dt><dd>${count}</dd></div>`,
  );
  return `<header>
<p class="kicker">Agent Platform conformance</p>
<div class="verdict ${tone}">
<svg class="sign" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="12"/>${signs[tone]}</svg>
<h1>${words[report.exitCode]} <code>${escapeHtml(report.baseUrl)}</code></h1>
<p class="ending">${report.incomplete === undefined ? '' : `Incomplete: ${escapeHtml(report.incomplete)} `}${describeRunResult(report)}</p>
${report.notes.map((note) => `<p class="ending">${escapeHtml(note)}</p>\n`).join('')}${formatBar(shares, 'bar')}
<dl class="tiles">${tiles.join('')}</dl>
</div>
${printMenu(report)}
</header>`;
}

function sharesOf(report: Report): readonly BarSegment[] {
  const tally = countByVerdict(report);
  const shares: readonly BarSegment[] = [
    ...(['passed', 'failed', 'expected', 'stale'] as const).map((name): BarSegment => [name, tally[name], name]),
    ['error', tally.errors, 'error'],
    ['inconclusive', tally.inconclusive, 'inconclusive'],
    ['not tested', tally.notTested, 'untested'],
    ['not judged', tally.notJudged, 'unjudged'],
    ['not applicable', tally.notApplicable, 'beyond'],
  ];
  return shares.filter(([label, count]) => count > 0 || label === 'passed' || label === 'failed');
}

function printFacts(report: Report): string {
  const { startedAt, wsUrl, strict, profiles, seed } = report;
  const facts: readonly (readonly [name: string, html: string])[] = [
    ...(wsUrl === undefined ? [] : [['Event stream', `<code>${escapeHtml(wsUrl)}</code>`] as const]),
    ['Started', `<time datetime="${startedAt}">${startedAt.slice(0, 16).replace('T', ' ')} UTC</time>`],
    ['Suite', `${escapeHtml(report.suiteVersion)}${strict ? ', strict' : ''}`],
    ...(seed === undefined ? [] : [['Seed', `${seed}${report.shuffled ? ', shuffled' : ''}`] as const]),
    ...(report.readOnly ? [['Read-only', 'no request that creates anything'] as const] : []),
    ...(profiles.length === 0 ? [] : [['Profiles', profiles.join(', ')] as const]),
  ];
  return `<dl class="facts">${facts.map(([name, html]) => `<div><dt>${name}</dt><dd>${html}</dd></div>`).join('')}</dl>`;
}

function printMenu(report: Report): string {
  const { checks, observations, requirements, usage } = report;
  const failed = requirements.filter(({ verdict }) => verdict === 'failed').length;
  const errors = checks.filter(({ verdict }) => verdict === 'error').length;
  const stale = requirements.filter(({ isStale }) => isStale).length;
  const untested = checks.filter(isUntested).length;
  const entries: readonly (readonly [id: string, name: string, count: number, what?: string])[] = [
    ['failed', 'Failures', failed + errors],
    ['stale', 'Stale in the baseline', stale],
    ['untested', 'Not tested', untested + usage.length, 'check'],
    ['behaviour', 'Behaviour', observations.length],
    ['requirements', 'Requirements', requirements.length],
  ];
  const links = entries
    .filter(([, , count]) => count > 0)
    .map(([id, name, count, what]) => {
      const counted = what === undefined ? count : formatCount(count, what);
      return `<a href="#${id}">${name} <small>${counted}</small></a>`;
    });
  return `<nav aria-label="Parts of the report">${links.join('')}<a href="#cost">Cost</a></nav>`;
}

function printStale({ requirements }: Report): string {
  const stale = requirements.filter(({ isStale }) => isStale);
  if (stale.length === 0) return '';
  const rows = stale.map(
    ({ requirement, verdict, expected }) =>
      `<tr><td><a href="#${requirement.id}">${requirement.id}</a></td><td>${escapeHtml(requirement.says)}</td><td>${verdict}</td><td>${escapeHtml(expected ?? '')}</td></tr>`,
  );
  return `<section id="stale"><h2>Stale in the baseline <small>${stale.length}</small></h2>
<p>The baseline expects these requirements to fail, but they pass. Remove the entries.</p>
${printTable('stale-table', ['requirement', 'says', 'is', 'was expected because'], rows)}
</section>`;
}

function isUntested({ verdict }: CheckOutcome): boolean {
  return ['inconclusive', 'not tested', 'not judged'].includes(verdict);
}

function printUntested({ checks, usage }: Report): string {
  const untested = checks.filter(isUntested);
  // A reason that several checks share appears once.
  const byReason = Map.groupBy(untested, ({ reason }) => reason.replace(/^(because of [\w-]+): .*/s, '$1'));
  if (byReason.size === 0 && usage.length === 0) return '';
  const reasons = [...byReason].map(
    ([reason, skipped]) =>
      `<article class="untested"><h3>${escapeHtml(reason)}</h3><details><summary>${formatCount(skipped.length, 'check')}</summary><ul class="ids">${skipped.map(({ id }) => `<li><code>${escapeHtml(id)}</code></li>`).join('')}</ul></details></article>`,
  );
  const usedUp = usage.map((line) => `<li>${escapeHtml(line)}</li>`).join('');
  return `<section id="untested"><h2>Not tested <small>${formatCount(byReason.size, 'reason')}</small></h2>
${reasons.join('\n')}
${usedUp === '' ? '' : `<ul>${usedUp}</ul>`}
</section>`;
}

function printBehaviour({ observations, strict }: Report): string {
  if (observations.length === 0) return '';
  const rows = observations.map(({ question, observed, matchesDecision }) => {
    const [tone, label] =
      matchesDecision === undefined
        ? ['untested', 'not observed']
        : matchesDecision
          ? ['same', 'same']
          : ['differs', 'different'];
    return `<tr class="${tone}"><td>${escapeHtml(question)}</td><td><code>${escapeHtml(observed)}</code></td><td><span class="pill">${label}</span></td></tr>`;
  });
  const judged = strict
    ? 'This run is strict: a difference from the reference server counts as a failure.'
    : 'This is information: a difference from the reference server is not a failure.';
  return `<section id="behaviour"><h2>Behaviour of this server <small>${observations.length}</small></h2>
<p>The specification leaves this behaviour open; the reference server follows decisions of this project. ${judged}</p>
${printTable('behaviour-table', ['question', 'observed', 'reference'], rows)}
</section>`;
}

function printCost(report: Report): string {
  const { plan, spent, milliseconds } = report;
  const { cost } = plan;
  const rows: readonly (readonly [name: string, planned: string | number, used: string | number])[] = [
    ['registrations', plan.registrations, spent.registrations],
    ['changes', cost.writes, spent.writes],
    ['contact requests', cost.contactRequests, spent.contactRequests],
    ['messages', cost.messages, spent.messages],
    ['uploads', cost.uploads, spent.uploads],
    ['minor units of credit', cost.creditsMinor, spent.creditsMinor],
    ['concurrent event connections', cost.sockets, spent.sockets],
    ['requests of any kind', '', spent.requests],
    ['unexpected 429 answers', '0', spent.limited],
    ['time', `${plan.minutes} min`, `${formatDuration(milliseconds)}, ${formatDuration(spent.waitedMs)} of it waiting`],
  ];
  const cells = rows
    .filter(([, planned, used]) => planned !== 0 || used !== 0)
    .map(([name, planned, used]) => `<tr><td>${name}</td><td>${planned}</td><td>${used}</td></tr>`);
  return `<section id="cost"><h2>Cost for the server</h2>
${printFacts(report)}
${printTable('cost-table', ['', 'planned, at most', 'used'], cells)}
</section>`;
}

function printTable(id: string, names: readonly string[], rows: readonly string[]): string {
  const heads = names.map((name) => (name === '' ? '<td></td>' : `<th scope="col">${name}</th>`));
  return `<table id="${id}"><thead><tr>${heads.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}
