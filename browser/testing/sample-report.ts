import {
  allChecks,
  planRun,
  type Report,
  readRequirements,
  runOptions,
  type ShownExchange,
} from '@agent-platform/conformance';
import { allObservations } from '../../conformance/src/areas/all-observations.ts';
import { noCost } from '../../conformance/src/context/budget/cost.ts';
import { deriveOutcome, exitCodeOf } from '../../conformance/src/verdict/judge.ts';
import type { CheckOutcome, ObservationOutcome } from '../../conformance/src/verdict/report.ts';
import { sampleFailures } from './sample-failures.ts';

type Kind = 'passed' | 'failed' | 'incomplete' | 'broken';

/**
 * Makes a report on a fictitious server, with the requirements whose ids match `ids`. All checks passed, or some of
 * them failed, crashed or were skipped because of missing options.
 */
export function makeSampleReport(kind: Kind, ids = /^AP-/): Report {
  const options = runOptions('https://agents.example', { wsUrl: 'wss://agents.example' });
  const plan = { ...planRun(options), checks: allChecks, observations: allObservations, missing: [] };
  const outcomes = allChecks.map((check) => judge(check, kind));
  const chosen = allObservations.filter(({ covers }) => covers.some((id) => ids.test(id)));
  const observations = chosen.map((observation, at) => observe(observation, at));
  const baseline = new Map(kind === 'failed' ? baselineEntries : []);
  const findings = {
    outcomes,
    observations,
    allChecks,
    allObservations,
    ...{ baseline, leftOut: new Map() },
    strict: false,
    incomplete: undefined,
  };
  const required = readRequirements().filter(({ id }) => ids.test(id));
  const requirements = required.map((requirement) => deriveOutcome(requirement, findings));
  const endings = requirements.map(({ verdict, expected }) => ({ verdict, isExpectedToFail: expected !== undefined }));
  return {
    ...{ suiteVersion: '0.1.0', baseUrl: options.baseUrl, wsUrl: options.wsUrl, strict: false, profiles: [] },
    ...{ seed: 7, shuffled: false, readOnly: false, incomplete: undefined, notes: [], tokensIn: undefined },
    ...{ startedAt: '2026-11-20T09:30:00.000Z', milliseconds: 312_400, exitCode: exitCodeOf(endings), plan },
    spent: {
      ...{ registrations: 9, requests: 2_914, writes: 1_120, contactRequests: 41, messages: 118, uploads: 74 },
      ...{ creditsMinor: 64_000, sockets: 6, limited: 0, waitedMs: 188_000 },
    },
    usage: kind === 'incomplete' ? ['conformance-b: 62 of 100 uploads are used'] : [],
    ...{ requirements, observations, without: [] },
    checks: outcomes,
  };
}

const baselineEntries: readonly (readonly [id: string, reason: string])[] = [
  ['AP-CONTACT-019', 'Known, fixed in the next release.'],
  ['AP-MESSAGE-028', 'Known, fixed in the next release.'],
  ['AP-TRANSPORT-001', 'The old proxy sent text/plain.'],
];

function judge(check: (typeof allChecks)[number], kind: Kind): CheckOutcome {
  const outcome = decide(check, kind);
  const { covers, verdict, reason, exchange } = outcome;
  const shared = { verdict, reason, because: undefined, exchange };
  const findings = covers.map((requirement) => ({ requirement, ...shared, script: scriptOf(requirement, exchange) }));
  return { ...outcome, findings };
}

function scriptOf(requirement: string, exchange: ShownExchange | undefined) {
  if (exchange === undefined) return undefined;
  const lines = ['#!/usr/bin/env bash', 'set -eu', "BASE_URL='https://agents.example'", exchange.curl, ''];
  return { name: `${requirement}.sample.sh`, text: lines.join('\n'), files: [] };
}

type Decided = Omit<CheckOutcome, 'findings'>;

function decide({ id, rule, covers, needs = [], profile }: (typeof allChecks)[number], kind: Kind): Decided {
  const passed = { id, rule, covers, verdict: 'passed', reason: '', exchange: undefined, trail: [] } as const;
  const outcome = { ...passed, recordedAt: undefined, cost: noCost, milliseconds: 40 };
  if (kind === 'incomplete' && needs.includes('clock'))
    return { ...outcome, verdict: 'not judged', reason: 'it needs a clock command, and no --clock-command was given' };
  if (kind === 'incomplete' && needs.includes('credits'))
    return { ...outcome, verdict: 'not tested', reason: 'no --grant-command was given, and credits need one' };
  if (profile !== undefined) return { ...outcome, verdict: 'not applicable' };
  if (kind === 'broken' && id === 'errors.form')
    return { ...outcome, verdict: 'error', reason: "TypeError: Cannot read properties of undefined (reading 'code')" };
  const failure = kind === 'failed' ? sampleFailures[id] : undefined;
  return failure === undefined ? outcome : { ...outcome, ...failure, verdict: 'failed' };
}

function observe({ id, question, covers }: (typeof allObservations)[number], at: number): ObservationOutcome {
  const [observed, matchesDecision] = answers[at % answers.length] ?? answers[0];
  return { id, question, covers, observed, matchesDecision, cost: noCost };
}

const answers: readonly [
  readonly [string, boolean | undefined],
  ...(readonly (readonly [string, boolean | undefined])[]),
] = [
  ['version 7', true],
  ['2026-11-20T09:30:00.000Z', true],
  ['400 validation_error', true],
  ['a redirect to the path without the slash: 308', false],
  ['encryption_public_key, encryption_key_fingerprint, created_at, updated_at', true],
  ['the second answer took longer than 10 s', undefined],
];

/** Fills a report with this text wherever text from a server appears, even in the address. */
export function fillReportWithText(report: Report, text: string): Report {
  const fill = (one: ShownExchange): ShownExchange => ({
    ...{ ...one, method: text, path: text, token: text, contentType: text, body: text, answer: text, curl: text },
    answerHeaders: { [text]: text },
  });
  return {
    ...{ ...report, baseUrl: `https://${text}`, wsUrl: text, suiteVersion: text, usage: [text], incomplete: text },
    requirements: report.requirements.map((outcome) => ({
      ...outcome,
      reason: text,
      expected: outcome.expected === undefined ? undefined : text,
    })),
    checks: report.checks.map((check) => ({
      ...{ ...check, rule: text, reason: text, trail: check.trail.map(fill) },
      exchange: check.exchange === undefined ? undefined : fill(check.exchange),
      findings: check.findings.map((finding) => ({
        ...{ ...finding, reason: text },
        exchange: finding.exchange === undefined ? undefined : fill(finding.exchange),
        script: finding.script === undefined ? undefined : { name: text, text, files: [] },
      })),
    })),
    observations: report.observations.map((outcome) => ({ ...outcome, question: text, observed: text })),
  };
}
