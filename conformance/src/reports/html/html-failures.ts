import { type Failure, failuresOf } from '../../verdict/failures.ts';
import type { CheckOutcome, Report } from '../../verdict/report.ts';
import type { ShownExchange } from '../../verdict/shown-exchange.ts';
import { pastedCommand } from '../pasted-command.ts';
import { countOf, escapeHtml } from '../readable.ts';
import { toneOf } from './html-areas.ts';

/** Each failed requirement with what is expected, what was seen and the exchange, and each check that could not be made. */
export function printFailures(report: Report): string {
  const found = failuresOf(report);
  const byRequirement = Map.groupBy(found, ({ requirement }) => requirement.id);
  const failing = new Set(found.map(({ check }) => check));
  const without = report.checks.filter(
    ({ id, verdict }) => (verdict === 'failed' || verdict === 'error') && !failing.has(id),
  );
  if (byRequirement.size + without.length === 0) return '';
  return `<section id="failed"><h2>Failures <small>${countOf(byRequirement.size, 'requirement')}</small></h2>
${printIntroduction(report)}
${[...byRequirement.values()].map((failures) => printFailure(failures, report)).join('\n')}
${without.map((check) => printError(check, report)).join('\n')}
</section>`;
}

function printIntroduction({ checks }: Report): string {
  // A program was graded: nothing of its exchanges can be repeated by hand.
  if (
    checks.every(
      ({ exchange, findings }) => exchange === undefined || findings.every(({ script }) => script === undefined),
    )
  )
    return '';
  return '<p>Each script repeats a failure from nothing, with bash and curl; it lies in the folder of scripts beside this report. Each <code>curl</code> command repeats one exchange, with the token of its agent from the pool file of the run.</p>';
}

function printFailure([first, ...others]: readonly Failure[], report: Report): string {
  if (first === undefined) return '';
  const { requirement, check, rule, actual, exchange, script, baseline } = first;
  const known = baseline === undefined ? '' : ` · expected to fail: ${escapeHtml(baseline)}`;
  const more = others.map(
    (one) =>
      `<li id="check-${escapeHtml(one.check)}"><code>${escapeHtml(one.check)}</code> ${escapeHtml(one.actual)}</li>`,
  );
  return `<article class="${baseline === undefined ? 'failed' : 'expected'}" id="check-${escapeHtml(check)}">
<p class="id"><span class="pill">failed</span> <a href="#${requirement.id}">${requirement.id}</a> §${requirement.paragraph} ${escapeHtml(requirement.section)}${known}</p>
<dl><div><dt>Requirement</dt><dd><h3>${escapeHtml(requirement.says)}</h3></dd></div>
<div><dt>Expected</dt><dd>${escapeHtml(rule)}</dd></div>
<div class="seen"><dt>Observed</dt><dd>${escapeHtml(actual)}</dd></div>
<div><dt>Check</dt><dd><code>${escapeHtml(check)}</code></dd></div></dl>
${more.length === 0 ? '' : `<details><summary>and ${countOf(more.length, 'more check', 'more checks')}</summary><ul class="broken">${more.join('')}</ul></details>`}
${exchange === undefined ? '' : printExchange(exchange, report)}
${script === undefined ? '' : printScript(script)}
${printTrail(report.checks.find(({ id }) => id === check)?.trail ?? [], report)}
</article>`;
}

function printScript({ name, text }: NonNullable<Failure['script']>): string {
  return `<details><summary>Script that repeats it from nothing: <code>${escapeHtml(name)}</code></summary><pre tabindex="0" aria-label="Script">${escapeHtml(text)}</pre></details>`;
}

function printTrail(trail: readonly ShownExchange[], report: Report): string {
  if (trail.length === 0) return '';
  return `<details><summary>${countOf(trail.length, 'exchange')} before it, of the same check</summary>${trail.map((one) => printExchange(one, report)).join('')}</details>`;
}

function printError({ id, rule, verdict, reason, exchange, trail }: CheckOutcome, report: Report): string {
  const source = verdict === 'error' ? ' · an error of the suite, not of the server' : '';
  return `<article class="${toneOf[verdict]}" id="check-${escapeHtml(id)}">
<p class="id"><span class="pill">${verdict}</span> ${escapeHtml(id)}${source}</p>
<dl><div><dt>Expected</dt><dd><h3>${escapeHtml(rule)}</h3></dd></div>
<div class="seen"><dt>Observed</dt><dd>${escapeHtml(reason)}</dd></div></dl>
${exchange === undefined ? '' : printExchange(exchange, report)}
${printTrail(trail, report)}
</article>`;
}

function printExchange(exchange: ShownExchange, report: Report): string {
  const { method, path, token, contentType, body, status, answerHeaders, answer } = exchange;
  const pasted = pastedCommand(exchange, report);
  const request = [
    ...(token === null ? [] : [`authorization: (the token in $${token})`]),
    ...(contentType === null ? [] : [`content-type: ${contentType}`]),
  ];
  const answered = Object.entries(answerHeaders).map(([name, value]) => `${name}: ${value}`);
  const again =
    pasted === ''
      ? ''
      : `<div class="again"><h4>Repeat</h4><pre class="curl" tabindex="0" aria-label="Command">${escapeHtml(pasted)}</pre></div>\n`;
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
