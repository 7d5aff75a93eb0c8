import type { Spent } from '../context/budget.ts';
import type { Cost } from '../context/cost.ts';
import type { Plan } from '../context/plan.ts';
import type { Report } from '../suite/report.ts';
import type { ShownExchange } from '../suite/shown-exchange.ts';

/** What programs read, as `report.schema.json` describes it; names in snake_case, as everywhere on the wire. */
export function printJson(report: Report): string {
  const document = {
    format: 'agent-platform-conformance/1',
    suite_version: report.suiteVersion,
    base_url: report.baseUrl,
    ws_url: report.wsUrl ?? null,
    started_at: report.startedAt,
    milliseconds: report.milliseconds,
    strict: report.strict,
    profiles: report.profiles,
    exit_code: report.exitCode,
    plan: printPlan(report.plan),
    spent: printSpent(report.spent),
    wear: report.wear,
    requirements: report.requirements.map(({ requirement, verdict, reason, checks, expected, isStale }) => ({
      id: requirement.id,
      section: requirement.section,
      says: requirement.says,
      keyword: requirement.keyword,
      standing: requirement.standing,
      verdict,
      reason,
      checks,
      expected: expected ?? null,
      stale: isStale,
    })),
    checks: report.checks.map(({ recordedAt, exchange, trail, cost, ...check }) => ({
      ...check,
      cost: printCost(cost),
      recorded_at: recordedAt ?? null,
      exchange: exchange === undefined ? null : printExchange(exchange),
      trail: trail.map(printExchange),
    })),
    choices: report.choices.map(({ asDecided, cost, ...choice }) => ({
      ...choice,
      cost: printCost(cost),
      as_decided: asDecided ?? null,
    })),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function printPlan({ checks, looks, missing, cost, registrations, minutes }: Plan) {
  return {
    checks: checks.length,
    looks: looks.length,
    registrations,
    minutes,
    cost: printCost(cost),
    missing: missing.map(({ need, option, ids }) => ({ need, option, ids })),
  };
}

function printCost({ writes, contactRequests, messages, uploads, creditsMinor, sockets, seconds }: Cost) {
  return {
    writes,
    contact_requests: contactRequests,
    messages,
    uploads,
    credits_minor: creditsMinor,
    sockets,
    seconds,
  };
}

function printSpent(spent: Readonly<Spent>) {
  return {
    registrations: spent.registrations,
    requests: spent.requests,
    writes: spent.writes,
    contact_requests: spent.contactRequests,
    messages: spent.messages,
    uploads: spent.uploads,
    credits_minor: spent.creditsMinor,
    sockets: spent.sockets,
    unplanned_429: spent.limited,
    waited_ms: spent.waitedMs,
  };
}

function printExchange({ contentType, answerHeaders, ...exchange }: ShownExchange) {
  return { ...exchange, content_type: contentType, answer_headers: answerHeaders };
}
