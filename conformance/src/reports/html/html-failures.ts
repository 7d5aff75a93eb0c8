import { type Failure, failuresOf } from '../../suite/failures.ts';
import type { CheckOutcome, Report } from '../../suite/report.ts';
import type { ShownExchange } from '../../suite/shown-exchange.ts';
import { countOf, escapeHtml } from '../readable.ts';
import { toneOf } from './html-areas.ts';

/** Each failed check with its requirements, the expectation, the observation and the exchange. */
export function printFailures(report: Report): string {
  const bad = report.checks.filter(({ verdict }) => verdict === 'failed' || verdict === 'error');
  const observations = report.strict
    ? report.observations.filter(({ matchesDecision }) => matchesDecision === false)
    : [];
  if (bad.length + observations.length === 0) return '';
  const differences = observations.map(
    ({ id, question, observed, covers }) => `<article class="failed">
<p class="id"><span class="pill">different</span> ${escapeHtml(id)}</p>
<dl><div><dt>Question</dt><dd><h3>${escapeHtml(question)}</h3></dd></div><div class="seen"><dt>Observed</dt><dd>${escapeHtml(observed)}</dd></div><div><dt>Requirements</dt><dd>${covers.map(escapeHtml).join(', ')}</dd></div></dl>
</article>`,
  );
  return `<section id="failed"><h2>Failures <small>${countOf(bad.length + observations.length, 'check')}</small></h2>
${printIntroduction(report)}
${bad.map((check) => printFailure(check, report)).join('\n')}
${differences.join('\n')}
</section>`;
}

function printIntroduction({ wsUrl, plan, checks }: Report): string {
  // A program was graded: nothing of its exchanges can be repeated by hand.
  if (checks.every(({ exchange }) => exchange === undefined || exchange.curl === '')) return '';
  return `<p>Each script repeats a failure from nothing, with bash and curl; it lies in the folder of scripts beside this report. Each <code>curl</code> command repeats one exchange. Set <code>BASE_URL</code> to the address of the server${wsUrl === undefined ? '' : ', <code>WS_URL</code> to that of its event stream'}, and the token variables to tokens of the agents they are named after${plan.registrations > 0 ? ' (the pool file of the run has them)' : ''}.</p>`;
}

function printFailure(check: CheckOutcome, report: Report): string {
  const failures = failuresOf(report).filter((failure) => failure.check === check.id);
  const trail =
    check.trail.length === 0
      ? ''
      : `<details><summary>${countOf(check.trail.length, 'exchange')} before it, of the same check</summary>${check.trail.map(printExchange).join('')}</details>`;
  const source = check.verdict === 'error' ? ' · an error of the suite, not of the server' : '';
  return `<article class="${toneOf[check.verdict]}" id="check-${escapeHtml(check.id)}">
<p class="id"><span class="pill">${check.verdict}</span> ${escapeHtml(check.id)}${source}</p>
<dl><div><dt>Expected</dt><dd><h3>${escapeHtml(check.rule)}</h3></dd></div></dl>
${failures.length === 0 ? printObserved(check) : failures.map(printViolation).join('\n')}
${trail}
</article>`;
}

function printObserved({ reason, exchange }: CheckOutcome): string {
  return `<dl><div class="seen"><dt>Observed</dt><dd>${escapeHtml(reason)}</dd></div></dl>
${exchange === undefined ? '' : printExchange(exchange)}`;
}

function printViolation({ requirement, expected, actual, exchange, script, baseline }: Failure): string {
  const known = baseline === undefined ? '' : ` · expected to fail: ${escapeHtml(baseline)}`;
  const row = `<a href="#${requirement.id}">${requirement.id}</a> ${escapeHtml(expected)} <small>${escapeHtml(requirement.section)}${known}</small>`;
  const repeat =
    script === undefined
      ? ''
      : `<details><summary>Script that repeats it from nothing: <code>${escapeHtml(script.name)}</code></summary><pre tabindex="0" aria-label="Script">${escapeHtml(script.text)}</pre></details>`;
  return `<dl>
<div><dt>Requirement</dt><dd><ul class="broken"><li>${row}</li></ul></dd></div>
<div class="seen"><dt>Observed</dt><dd>${escapeHtml(actual)}</dd></div>
</dl>
${exchange === undefined ? '' : printExchange(exchange)}
${repeat}`;
}

function printExchange(exchange: ShownExchange): string {
  const { method, path, token, contentType, body, status, answerHeaders, answer, curl } = exchange;
  const request = [
    ...(token === null ? [] : [`authorization: (the token in $${token})`]),
    ...(contentType === null ? [] : [`content-type: ${contentType}`]),
  ];
  const answered = Object.entries(answerHeaders).map(([name, value]) => `${name}: ${value}`);
  const again =
    curl === ''
      ? ''
      : `<div class="again"><h4>Repeat</h4><pre class="curl" tabindex="0" aria-label="Command">${escapeHtml(curl)}</pre></div>\n`;
  const tone = status >= 100 && status < 300 ? 'ok' : 'no';
  return `<div class="exchange">
<div><h4>Request</h4>${printMessage('Request', `<b>${escapeHtml(method)} ${escapeHtml(path)}</b>`, request, body)}</div>
<div><h4>Answer</h4>${printMessage('Answer', `<b class="${tone}">${status || 'no answer'}</b>`, answered, answer)}</div>
${again}</div>`;
}

function printMessage(label: string, first: string, headers: readonly string[], body: string): string {
  const head = headers.map((header) => `\n<i>${escapeHtml(header)}</i>`).join('');
  return `<pre tabindex="0" aria-label="${label}">${first}${head}${body === '' ? '' : `\n\n${escapeHtml(body)}`}</pre>`;
}
