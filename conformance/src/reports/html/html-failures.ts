import { type CheckOutcome, type FailedRequirement, failedRequirementsOf, type Report } from '../../verdict/report.ts';
import type { ShownExchange } from '../../verdict/shown-exchange.ts';
import { describeChecks, formatHeaders, shellCommandOf } from '../plain-failure.ts';
import { escapeHtml, formatCount } from '../readable.ts';
import { toneByVerdict } from './html-areas.ts';

export function formatFailures(report: Report): string {
  const found = failedRequirementsOf(report);
  const failing = new Set(found.flatMap((one) => [one, ...one.others]).map(({ check }) => check));
  const without = report.checks.filter(
    ({ id, verdict }) => (verdict === 'failed' || verdict === 'error') && !failing.has(id),
  );
  if (found.length + without.length === 0) return '';
  return `<section id="failed"><h2>Failures <small>${formatCount(found.length, 'requirement')}</small></h2>
${found.map((failed) => printFailed(failed, report)).join('\n')}
${without.map((check) => printError(check, report)).join('\n')}
</section>`;
}

function printFailed(failed: FailedRequirement, report: Report): string {
  const { requirement, check, rule, actual, exchange, script, baseline, others } = failed;
  const known = baseline === undefined ? '' : ` · expected to fail: ${escapeHtml(baseline)}`;
  const more = others.map(
    (one) =>
      `<li id="check-${escapeHtml(one.check)}"><code>${escapeHtml(one.check)}</code> ${escapeHtml(one.actual)}</li>`,
  );
  return `<article class="${baseline === undefined ? 'failed' : 'expected'}" id="check-${escapeHtml(check)}">
<p class="id"><span class="pill">failed</span> <a href="#${requirement.id}">${requirement.id}</a> §${requirement.paragraph} ${escapeHtml(requirement.section)}${known}</p>
<h3>${escapeHtml(requirement.says)}</h3>
<dl><div><dt>Expected</dt><dd>${escapeHtml(rule)}</dd></div>
<div class="seen"><dt>Observed</dt><dd>${escapeHtml(actual)}</dd></div></dl>
<details><summary>Details of ${escapeHtml(describeChecks(failed))}</summary>
${more.length === 0 ? '' : `<ul class="broken">${more.join('')}</ul>`}
${exchange === undefined ? '' : printExchange(exchange, report)}
${script === undefined ? '' : `<details><summary>Script that repeats it, in the folder of scripts: <code>${escapeHtml(script.name)}</code></summary><pre tabindex="0" aria-label="Script">${escapeHtml(script.text)}</pre></details>`}
${printTrail(report.checks.find(({ id }) => id === check)?.trail ?? [], report)}
</details>
</article>`;
}

function printTrail(trail: readonly ShownExchange[], report: Report): string {
  if (trail.length === 0) return '';
  return `<details><summary>${formatCount(trail.length, 'exchange')} before it in the same check</summary>${trail.map((one) => printExchange(one, report)).join('')}</details>`;
}

function printError({ id, rule, verdict, reason, exchange, trail }: CheckOutcome, report: Report): string {
  const source = verdict === 'error' ? ' · an error of the suite, not of the server' : '';
  return `<article class="${toneByVerdict[verdict]}" id="check-${escapeHtml(id)}">
<p class="id"><span class="pill">${verdict}</span> ${escapeHtml(id)}${source}</p>
<dl><div><dt>Expected</dt><dd><h3>${escapeHtml(rule)}</h3></dd></div>
<div class="seen"><dt>Observed</dt><dd>${escapeHtml(reason)}</dd></div></dl>
${exchange === undefined ? '' : printExchange(exchange, report)}
${printTrail(trail, report)}
</article>`;
}

function printExchange(exchange: ShownExchange, report: Report): string {
  const { method, path, body, status, answer } = exchange;
  const pasted = shellCommandOf(exchange, report);
  const { request, answered } = formatHeaders(exchange);
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
