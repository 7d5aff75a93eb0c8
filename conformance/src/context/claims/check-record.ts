import { Inconclusive, NotJudged, Skipped, Violation } from '../expectations.ts';
import { NoAnswer } from '../http/http-client.ts';
import { requirementOfOperation } from '../http/operations.ts';

/** What a check found out about one requirement. */
export interface Finding {
  readonly requirement: string;
  readonly verdict: 'passed' | 'failed' | 'inconclusive' | 'not tested' | 'not judged' | 'error';
  /** What was thrown, unless it passed. */
  readonly error?: unknown;
  /** The failed requirement without which this one cannot be judged. */
  readonly because?: string;
}

/** The requirements that have failed in a run, and what they were seen by. */
export interface Failures {
  readonly requirements: Set<string>;
  readonly symptoms: Map<string, string>;
}

/** No failure yet. */
export function noFailures(): Failures {
  return { requirements: new Set(), symptoms: new Map() };
}

/** What one check finds out about each of its requirements. */
export class CheckRecord {
  readonly #covers: readonly string[];
  readonly #failures: Failures;
  readonly #findings = new Map<string, Finding>();

  constructor(covers: readonly string[], failures: Failures) {
    this.#covers = covers;
    this.#failures = failures;
  }

  /** One expectation more holds; what failed before stays failed. */
  pass(requirement: string): void {
    if (this.#covers.includes(requirement) && !this.#findings.has(requirement))
      this.#findings.set(requirement, { requirement, verdict: 'passed' });
  }

  /** Ends the claim of requirements by what was thrown; `own` are those that fail where the violation names none. */
  fail(error: unknown, own: readonly string[], claimed: readonly string[] = own): void {
    if (!(error instanceof Violation)) {
      for (const requirement of claimed) this.#note({ requirement, verdict: verdictOf(error), error });
      return;
    }
    const named = error.requirement === undefined ? own : [error.requirement];
    const root = this.#rootOf(error, named);
    const failed = root === named[0] ? named : [];
    for (const requirement of failed) this.#note({ requirement, verdict: 'failed', error });
    for (const requirement of [...named, ...claimed]) {
      if (!failed.includes(requirement)) this.#note({ requirement, verdict: 'not judged', error, because: root });
    }
  }

  /** Ends the check: what it did not reach is not judged, or passed where it claims nothing else. */
  end(thrown: { readonly error: unknown } | undefined): readonly Finding[] {
    const [own = ''] = this.#covers;
    const open = this.#covers.filter((id) => !this.#findings.has(id));
    if (thrown !== undefined) this.fail(thrown.error, [own], open);
    else if (this.#covers.length === 1) this.pass(own);
    else for (const requirement of open) this.#note(this.#unreached(requirement));
    return [...this.#findings.values()];
  }

  /** What a check does not come to, because of a failure before it or for a reason that it does not tell. */
  #unreached(requirement: string): Finding {
    const findings = [...this.#findings.values()];
    const root =
      findings.find(({ verdict }) => verdict === 'failed') ?? findings.find(({ because }) => because !== undefined);
    if (root !== undefined)
      return { requirement, verdict: 'not judged', error: root.error, because: root.because ?? root.requirement };
    return { requirement, verdict: 'not tested', error: new Skipped('this run did not come to it') };
  }

  /** The requirement that failed: the first that is named, or an earlier one, where that is the reason. */
  #rootOf(violation: Violation, named: readonly string[]): string {
    const [first = ''] = named;
    // What a fixture has thrown is thrown again, and stays a failure of the same requirement.
    violation.requirement ??= first;
    const { symptom, exchange } = violation;
    const { requirements, symptoms } = this.#failures;
    const earlier = symptom === undefined ? undefined : symptoms.get(symptom);
    if (earlier !== undefined) return earlier;
    const operation = exchange === undefined ? undefined : requirementOfOperation(exchange.request);
    if (operation !== undefined && requirements.has(operation)) return operation;
    if (symptom !== undefined) symptoms.set(symptom, first);
    for (const requirement of named) requirements.add(requirement);
    return first;
  }

  #note(finding: Finding): void {
    const known = this.#findings.get(finding.requirement);
    if (known === undefined || rank(finding) > rank(known)) this.#findings.set(finding.requirement, finding);
  }
}

const fromBest: readonly Finding['verdict'][] = [
  ...(['passed', 'not judged', 'not tested', 'inconclusive', 'error', 'failed'] as const),
];

function rank({ verdict }: Finding): number {
  return fromBest.indexOf(verdict);
}

function verdictOf(error: unknown): Finding['verdict'] {
  if (error instanceof Skipped) return 'not tested';
  if (error instanceof NotJudged) return 'not judged';
  return error instanceof Inconclusive || error instanceof NoAnswer ? 'inconclusive' : 'error';
}
