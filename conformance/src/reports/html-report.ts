import { type CheckOutcome, endingOf, type Report, type RequirementOutcome, tallyOf } from '../suite/report.ts';
import type { ShownExchange } from '../suite/shown-exchange.ts';
import type { Verdict } from '../suite/verdict.ts';
import { style } from './html-style.ts';
import { countOf, escapeHtml, printDuration } from './readable.ts';
import { printSpending } from './spending.ts';

/** One page for people, which needs nothing beside itself: no script, no font, no picture. */
export function printHtml(report: Report): string {
  const host = escapeHtml(report.baseUrl.replace(/^https?:\/\//, ''));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${wordOf(report)} · conformance of ${host}</title>
<style>${style}</style>
</head>
<body>
${[printHeader(report), '<main>', printFailures(report), printStale(report), printUntested(report), printBehaviour(report), printRequirements(report), '</main>', printFooter(report)].filter((part) => part !== '').join('\n')}
</body>
</html>
`;
}

const words = { 0: 'Passed', 1: 'Failed', 2: 'No verdict', 3: 'Incomplete' } as const;
const tones = { 0: 'passed', 1: 'failed', 2: 'error', 3: 'untested' } as const;

function wordOf({ exitCode }: Report): string {
  return words[exitCode];
}

const toneOf: Readonly<Record<Verdict, string>> = {
  passed: 'passed',
  failed: 'failed',
  error: 'error',
  'not tested': 'untested',
  'not applicable': 'beyond',
};

function printHeader(report: Report): string {
  const { passed, failed, expected, stale, errors, notTested, notApplicable } = tallyOf(report);
  const parts: readonly (readonly [label: string, count: number, tone: string])[] = [
    ['passed', passed, 'passed'],
    ['failed', failed, 'failed'],
    ['expected', expected, 'expected'],
    ['error', errors, 'error'],
    ['not tested', notTested, 'untested'],
    ['not applicable', notApplicable, 'beyond'],
  ];
  const shown = parts.filter(([label, count]) => count > 0 || label === 'passed' || label === 'failed');
  const bar = shown
    .filter(([, count, tone]) => count > 0 && tone !== 'beyond')
    .map(([label, count, tone]) => `<i class="${tone}" style="flex-grow:${count}" title="${count} ${label}"></i>`);
  const tiles = shown.map(
    ([label, count, tone]) => `<div class="${count > 0 ? tone : 'beyond'}"><dt>${label}</dt><dd>${count}</dd></div>`,
  );
  const extra = stale > 0 ? `<div class="failed"><dt>stale</dt><dd>${stale}</dd></div>` : '';
  const stream = report.wsUrl === undefined ? '' : ` and <code>${escapeHtml(report.wsUrl)}</code>`;
  return `<header>
<p class="kicker">Agent Platform conformance</p>
<h1 class="${tones[report.exitCode]}"><span class="stamp">${wordOf(report)}</span> <code>${escapeHtml(report.baseUrl)}</code></h1>
<p class="ending">${endingOf(report)}</p>
<div class="bar" role="img" aria-label="${shown.map(([label, count]) => `${count} ${label}`).join(', ')}">${bar.join('')}</div>
<dl class="tiles">${tiles.join('')}${extra}</dl>
<p class="facts">Tested <code>${escapeHtml(report.baseUrl)}</code>${stream} on <time datetime="${report.startedAt}">${report.startedAt.slice(0, 16).replace('T', ' ')} UTC</time> with suite ${escapeHtml(report.suiteVersion)}${report.strict ? ', strict' : ''}${report.profiles.length > 0 ? `, profile ${report.profiles.join(', ')}` : ''}. ${escapeHtml(printSpending(report))}.</p>
</header>`;
}

function printFailures(report: Report): string {
  const bad = report.checks.filter(({ verdict }) => verdict === 'failed' || verdict === 'error');
  const observations = report.strict
    ? report.observations.filter(({ matchesDecision }) => matchesDecision === false)
    : [];
  if (bad.length + observations.length === 0) return '';
  const differences = observations.map(
    ({ id, question, observed, covers }) =>
      `<article class="failed"><h3>${escapeHtml(question)}</h3><p class="id">${escapeHtml(id)} · ${covers.map(escapeHtml).join(', ')}</p><p class="reason">Observed: ${escapeHtml(observed)}</p></article>`,
  );
  const intro = `<p>Each <code>curl</code> command reproduces the exchange on your machine. Set <code>BASE_URL</code> to the address of the server${report.wsUrl === undefined ? '' : ', <code>WS_URL</code> to that of its event stream'}, and the token variables to tokens of the agents they are named after${report.plan.registrations > 0 ? ' (the pool file of the run has them)' : ''}.</p>`;
  return `<section id="failed"><h2>Failures <small>${countOf(bad.length + observations.length, 'check')}</small></h2>
${intro}
${bad.map((check) => printFailure(check, report)).join('\n')}
${differences.join('\n')}
</section>`;
}

function printFailure(check: CheckOutcome, { requirements }: Report): string {
  const broken = requirements.filter(({ requirement }) => check.covers.includes(requirement.id));
  const rows = broken.map(
    ({ requirement, expected }) =>
      `<li><a href="#${requirement.id}">${requirement.id}</a> ${escapeHtml(requirement.says)} <small>${escapeHtml(requirement.section)}${expected === undefined ? '' : ` · expected: ${escapeHtml(expected)}`}</small></li>`,
  );
  const trail =
    check.trail.length === 0
      ? ''
      : `<details><summary>${countOf(check.trail.length, 'exchange')} of the same check</summary>${check.trail.map((exchange) => printExchange(exchange, '')).join('')}</details>`;
  return `<article class="${toneOf[check.verdict]}" id="check-${escapeHtml(check.id)}">
<h3>${escapeHtml(check.rule)}</h3>
<p class="id">${escapeHtml(check.id)}${check.verdict === 'error' ? ' · an error of the suite, not of the server' : ''}</p>
<p class="reason">${escapeHtml(check.reason)}</p>
<ul class="broken">${rows.join('')}</ul>
${check.exchange === undefined ? '' : printExchange(check.exchange, 'decisive')}
${trail}
</article>`;
}

function printExchange(exchange: ShownExchange, kind: string): string {
  const { method, path, token, contentType, body, status, answerHeaders, answer, curl } = exchange;
  const request = [
    `${method} ${path}`,
    ...(token === null ? [] : [`authorization: (the token in $${token})`]),
    ...(contentType === null ? [] : [`content-type: ${contentType}`]),
  ];
  const answered = Object.entries(answerHeaders).map(([name, value]) => `${name}: ${value}`);
  const statusTone = status >= 100 && status < 300 ? 'ok' : 'no';
  return `<div class="exchange ${kind}">
<pre class="curl" tabindex="0" aria-label="curl">${escapeHtml(curl)}</pre>
<div class="sides">
<div><h4>request</h4><pre tabindex="0">${escapeHtml(request.join('\n'))}${body === '' ? '' : `\n\n${escapeHtml(body)}`}</pre></div>
<div><h4>answered</h4><pre tabindex="0"><b class="${statusTone}">${status || 'no answer'}</b>\n${escapeHtml(answered.join('\n'))}${answer === '' ? '' : `\n\n${escapeHtml(answer)}`}</pre></div>
</div>
</div>`;
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
<div class="wide" tabindex="0"><table><thead><tr><th>requirement</th><th>says</th><th>is</th><th>was expected because</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>
</section>`;
}

function printUntested({ checks, usage }: Report): string {
  const untested = checks.filter(({ verdict }) => verdict === 'not tested');
  const byReason = Map.groupBy(untested, ({ reason }) => reason);
  if (byReason.size === 0 && usage.length === 0) return '';
  const reasons = [...byReason].map(
    ([reason, skipped]) =>
      `<article class="untested"><p class="reason">${escapeHtml(reason)}</p><p class="id">${skipped.map(({ id }) => escapeHtml(id)).join(', ')}</p></article>`,
  );
  const usedUp = usage.map((line) => `<li>${escapeHtml(line)}</li>`).join('');
  return `<section id="untested"><h2>Not tested <small>${countOf(byReason.size, 'reason')}</small></h2>
${reasons.join('\n')}
${usedUp === '' ? '' : `<ul>${usedUp}</ul>`}
</section>`;
}

function printBehaviour({ observations, strict }: Report): string {
  if (observations.length === 0) return '';
  const rows = observations.map(({ question, observed, matchesDecision }) => {
    const [sign, tone, label] =
      matchesDecision === undefined
        ? ['?', 'untested', 'could not be observed']
        : matchesDecision
          ? ['=', 'same', 'same as the reference']
          : ['≠', 'differs', 'different from the reference'];
    return `<tr class="${tone}"><td title="${label}" aria-label="${label}">${sign}</td><td>${escapeHtml(question)}</td><td>${escapeHtml(observed)}</td></tr>`;
  });
  const judged = strict
    ? 'This run is strict: a difference (≠) counts as a failure.'
    : 'Informational: ≠ differs from the reference server, = matches it.';
  return `<section id="behaviour"><h2>Behaviour of this server <small>${observations.length}</small></h2>
<p>The specification leaves this behaviour open. ${judged}</p>
<div class="wide" tabindex="0"><table><thead><tr><th>as the reference</th><th>question</th><th>observed</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>
</section>`;
}

function printRequirements({ requirements, checks }: Report): string {
  const areas = Map.groupBy(requirements, ({ requirement }) => requirement.id.split('-')[1] ?? '');
  const failing = new Set(checks.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id));
  const blocks = [...areas].map(([area, outcomes]) => {
    const bad = outcomes.filter(({ verdict, isStale }) => isStale || ['failed', 'error'].includes(verdict)).length;
    const good = outcomes.filter(({ verdict }) => verdict === 'passed').length;
    const judged = outcomes.filter(({ verdict }) => verdict !== 'not applicable').length;
    const told = judged === 0 ? 'nothing to judge' : `${good} of ${judged} passed`;
    const dots = outcomes.map(({ verdict }) => `<i class="${toneOf[verdict]}"></i>`).join('');
    return `<details${bad > 0 ? ' open' : ''}><summary><b>${escapeHtml(area)}</b><span class="dots" aria-hidden="true">${dots}</span><small>${told}${bad > 0 ? `, ${bad} bad` : ''}</small></summary>
<div class="wide" tabindex="0"><table><tbody>${outcomes.map((outcome) => printRequirement(outcome, failing)).join('')}</tbody></table></div></details>`;
  });
  return `<section id="requirements"><h2>All requirements <small>${requirements.length}</small></h2>
${blocks.join('\n')}
</section>`;
}

function printRequirement(outcome: RequirementOutcome, failing: ReadonlySet<string>): string {
  const { requirement, verdict, reason, expected, checks } = outcome;
  const links = checks
    .filter((id) => failing.has(id))
    .map((id) => ` <a href="#check-${escapeHtml(id)}">${escapeHtml(id)}</a>`);
  const why =
    verdict === 'failed'
      ? `${expected === undefined ? '' : `expected: ${escapeHtml(expected)}`}${links.join('')}`
      : escapeHtml(reason);
  return `<tr id="${requirement.id}"><td><code>${requirement.id}</code></td><td><span class="pill ${toneOf[verdict]}">${verdict}</span></td><td>${escapeHtml(requirement.says)}${why === '' ? '' : `<br><small>${why}</small>`}</td></tr>`;
}

function printFooter({ plan, spent, milliseconds }: Report): string {
  const { cost } = plan;
  const rows: readonly (readonly [string, number, number])[] = [
    ['registrations', plan.registrations, spent.registrations],
    ['changes', cost.writes, spent.writes],
    ['contact requests', cost.contactRequests, spent.contactRequests],
    ['messages', cost.messages, spent.messages],
    ['uploads', cost.uploads, spent.uploads],
    ['minor units of credit', cost.creditsMinor, spent.creditsMinor],
    ['event connections at a time', cost.sockets, spent.sockets],
  ];
  const cells = rows
    .filter(([, planned, used]) => planned + used > 0)
    .map(([name, planned, used]) => `<tr><td>${name}</td><td>${planned}</td><td>${used}</td></tr>`);
  return `<footer><section id="cost"><h2>Cost for the server</h2>
<div class="wide" tabindex="0"><table><thead><tr><th>request</th><th>planned, at most</th><th>asked for</th></tr></thead><tbody>${cells.join('')}<tr><td>requests of any kind</td><td></td><td>${spent.requests}</td></tr><tr><td>answers with an unexpected 429</td><td>0</td><td>${spent.limited}</td></tr><tr><td>time</td><td>${plan.minutes} min</td><td>${printDuration(milliseconds)}</td></tr></tbody></table></div></section>
<p>Tokens and keys are cut out of this page.</p></footer>`;
}
