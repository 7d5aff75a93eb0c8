import { noCost } from '../context/budget/cost.ts';
import type { CheckOutcome } from '../verdict/report.ts';
import { formatTracedRequest, type TracedRequest } from './trace.ts';

export class ClientViolation extends Error {
  readonly request: TracedRequest | undefined;

  constructor(reason: string, request?: TracedRequest) {
    super(reason);
    this.request = request;
  }
}

/** The program did not reach the step that the scenario tests. */
export class StepNotReached extends Error {}

export interface ClientCheck {
  readonly id: string;
  readonly covers: readonly string[];
  readonly rule: string;
  /** Throws a `ClientViolation`, or `StepNotReached` if the program did not reach the tested step. */
  readonly judge: () => void;
}

export function defineClientCheck(name: string, requirement: string, rule: string, judge: () => void): ClientCheck {
  return { id: `client.${name}`, covers: [requirement], rule, judge };
}

export function judgeClientCheck({ id, covers, rule, judge }: ClientCheck, milliseconds: number): CheckOutcome {
  const ending = endingOf(judge);
  const findings = covers.map((requirement) => ({ requirement, ...ending, because: undefined, script: undefined }));
  return { id, covers, rule, ...ending, findings, trail: [], recordedAt: undefined, cost: noCost, milliseconds };
}

function endingOf(judge: () => void): Pick<CheckOutcome, 'verdict' | 'reason' | 'exchange'> {
  try {
    judge();
    return { verdict: 'passed', reason: '', exchange: undefined };
  } catch (error) {
    if (error instanceof StepNotReached) return { verdict: 'not tested', reason: error.message, exchange: undefined };
    if (!(error instanceof ClientViolation)) throw error;
    const exchange = error.request === undefined ? undefined : formatTracedRequest(error.request);
    return { verdict: 'failed', reason: error.message, exchange };
  }
}
