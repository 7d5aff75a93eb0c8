import type { Report, RequirementOutcome } from '../../verdict/report.ts';
import type { Verdict } from '../../verdict/verdict.ts';
import { type Area, areasOf } from '../areas.ts';
import { escapeHtml } from '../readable.ts';
import { toneOf } from './html-areas.ts';

/** The verdicts that a reader may choose, which the style does without a script. */
const verdicts = Object.keys(toneOf) as readonly Verdict[];

/** Every requirement in its area; the style shows those of a chosen verdict. */
export function printRequirementsByArea(report: Report): string {
  const { requirements, checks } = report;
  const failing = new Set(checks.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id));
  const present = verdicts.filter((verdict) => requirements.some((outcome) => outcome.verdict === verdict));
  const choices = present.map((verdict) => {
    const count = requirements.filter((outcome) => outcome.verdict === verdict).length;
    return `<label><input type="radio" name="show" id="show-${toneOf[verdict]}"> ${verdict} <small>${count}</small></label>`;
  });
  return `<section id="requirements"><h2>All requirements <small>${requirements.length}</small></h2>
<fieldset><legend>Show</legend><label><input type="radio" name="show" id="show-all" checked> all</label>${choices.join('')}</fieldset>
${areasOf(report)
  .map((area) => printArea(area, failing))
  .join('\n')}
</section>`;
}

function printArea({ code, name, outcomes, bad, told }: Area, failing: ReadonlySet<string>): string {
  const fault = bad === 0 ? '' : ` <strong>${bad} to fix</strong>`;
  return `<details${bad > 0 ? ' open' : ''}><summary><b>${escapeHtml(name)}</b> <code>AP-${escapeHtml(code)}</code><small>${told}${fault}</small></summary>
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
  return `<tr id="${requirement.id}" class="${toneOf[verdict]}"><td><code>${requirement.id}</code></td><td>${escapeHtml(requirement.says)}${why === '' ? '' : ` <small>${why}</small>`}</td><td><span class="pill">${verdict}</span></td></tr>`;
}
