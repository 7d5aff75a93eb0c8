import type { Choice } from './check.ts';
import { Deviation } from './judge.ts';
import type { Redaction } from './redaction.ts';
import type { Requirement } from './requirements.ts';
import type { ExitCode, Verdict } from './verdict.ts';
import { type Exchange, NoAnswer } from './wire.ts';

/** A request and its answer without secrets, for people to read. */
export interface ShownExchange {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly status: number;
  readonly answer: string;
}

/** How one check ended. */
export interface CheckOutcome {
  readonly id: string;
  readonly rule: string;
  readonly covers: readonly string[];
  readonly verdict: Verdict;
  /** Why, where it did not pass. */
  readonly reason: string;
  readonly exchange: ShownExchange | undefined;
  /** When the registration was made that it judged, if that was in an earlier run. */
  readonly recordedAt: string | undefined;
  readonly milliseconds: number;
}

/** How one requirement ended. */
export interface RequirementOutcome {
  readonly requirement: Requirement;
  readonly verdict: Verdict;
  readonly reason: string;
}

/** What the server chose where the specification is silent. */
export interface ChoiceOutcome {
  readonly id: string;
  readonly question: string;
  readonly seen: string;
  readonly asDecided: boolean | undefined;
}

/** All that a run found out. */
export interface Report {
  readonly baseUrl: string;
  readonly startedAt: string;
  readonly strict: boolean;
  readonly exitCode: ExitCode;
  readonly registrations: number;
  readonly writes: number;
  readonly requirements: readonly RequirementOutcome[];
  readonly checks: readonly CheckOutcome[];
  readonly choices: readonly ChoiceOutcome[];
}

const shownMaxLength = 600;

/** Shows an exchange without the secrets of the run; headers are left out, for they hold the token. */
export function showExchange(exchange: Exchange, redaction: Redaction): ShownExchange {
  const shorten = (text: string) => (text.length > shownMaxLength ? `${text.slice(0, shownMaxLength)}…` : text);
  return {
    method: exchange.asked.method,
    path: redaction.apply(exchange.asked.path),
    body: shorten(redaction.apply(exchange.asked.body)),
    status: exchange.status,
    answer: shorten(redaction.apply(exchange.text)),
  };
}

/** The exchange that a failure is about, if it is about one. */
export function exchangeOf(error: unknown): Exchange | undefined {
  if (error instanceof Deviation) return error.exchange;
  if (!(error instanceof NoAnswer)) return undefined;
  return { asked: error.asked, status: 0, headers: {}, text: '', json: undefined };
}

/** What is shown of a look. */
export function showChoice(id: string, question: string, choice: Choice, redaction: Redaction): ChoiceOutcome {
  return { id, question, seen: redaction.apply(choice.seen).slice(0, shownMaxLength), asDecided: choice.asDecided };
}
