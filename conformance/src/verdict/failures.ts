import type { Report, Reproduction, RequirementOutcome } from './report.ts';
import type { Requirement } from './requirements.ts';
import type { ShownExchange } from './shown-exchange.ts';

/** A requirement that a check found violated. */
export interface Failure {
  readonly requirement: Requirement;
  /** The check or the observation. */
  readonly check: string;
  /** What the check tests. */
  readonly rule: string;
  /** What the specification says. */
  readonly expected: string;
  /** What the server did. */
  readonly actual: string;
  readonly exchange: ShownExchange | undefined;
  /** Of the first failure of its requirement. */
  readonly script: Reproduction | undefined;
  /** The reason of the baseline for an expected failure. */
  readonly baseline: string | undefined;
}

/** A failed requirement with its first failure. */
export interface FailedRequirement extends Failure {
  /** The failures in further checks. */
  readonly others: readonly Failure[];
  /** How many requirements are not judged because of this one. */
  readonly blocked: number;
}

/** Each failed requirement once, in the order of their first failures. */
export function failedRequirementsOf(report: Report): readonly FailedRequirement[] {
  const groups = Map.groupBy(failuresOf(report), ({ requirement }) => requirement.id);
  return [...groups].flatMap(([id, [first, ...others]]) => {
    const blocked = report.requirements.filter(({ because }) => because.includes(id)).length;
    return first === undefined ? [] : [{ ...first, others, blocked }];
  });
}

/** The failures of a report in the order of the run; those that a baseline expects come last. */
export function failuresOf(report: Report): readonly Failure[] {
  const outcomes = new Map(report.requirements.map((outcome) => [outcome.requirement.id, outcome]));
  const scripted = new Set<string>();
  const found = report.checks.flatMap(({ id, rule, findings }) =>
    findings.flatMap(({ requirement, verdict, reason, exchange, script }): readonly Failure[] => {
      const outcome = outcomes.get(requirement);
      if (verdict !== 'failed' || outcome === undefined) return [];
      // One script for each failed requirement is enough.
      const isFirst = !scripted.has(requirement);
      scripted.add(requirement);
      return [{ ...shared(outcome), check: id, rule, actual: reason, exchange, script: isFirst ? script : undefined }];
    }),
  );
  // What a strict run observes has no exchange of its own.
  const observed = report.requirements
    .filter(({ requirement, verdict }) => verdict === 'failed' && !found.some((one) => one.requirement === requirement))
    .map((outcome): Failure => {
      const { checks, reason, requirement } = outcome;
      const rest = { check: checks[0] ?? '', rule: requirement.says, exchange: undefined, script: undefined };
      return { ...shared(outcome), ...rest, actual: reason };
    });
  const all = [...found, ...observed];
  return [
    ...all.filter(({ baseline }) => baseline === undefined),
    ...all.filter(({ baseline }) => baseline !== undefined),
  ];
}

function shared({ requirement, expected }: RequirementOutcome) {
  return { requirement, expected: requirement.says, baseline: expected };
}
