import type { Hooks } from './hooks/hooks.ts';
import type { Exchange, HttpRequest } from './http/http-client.ts';
import { isObject } from './json.ts';
import { type FormFault, findFormFaults } from './record-forms.ts';

/** A request of the run with what a later script needs of its answer. */
export interface SentRequest {
  readonly kind: 'request';
  readonly request: HttpRequest;
  readonly status: number;
  /** Empty where it is longer than any answer that names something new. */
  readonly text: string;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** What the operator of the server did for the run. */
export interface HookCall {
  readonly kind: 'grant' | 'suspend' | 'clock';
  readonly botId: string;
  /** Minor units of credit, or seconds. */
  readonly amount: number;
}

/** An entry of the journal. */
export type JournalEntry = SentRequest | HookCall;

/** All that a run did to its server, in order; secrets are in it, and it never leaves the memory. */
export interface RunJournal {
  readonly entries: readonly JournalEntry[];
  /** The first answers that are JSON and do not say so. */
  readonly undeclared: readonly Exchange[];
  /** The first answers with a 500. */
  readonly crashes: readonly Exchange[];
  /** The first answer for each requirement that has a record of another form. */
  readonly formFaults: ReadonlyMap<string, FormFault>;
  noteExchange(exchange: Exchange): void;
  /** The same hooks, with an entry for each that succeeds. */
  recordHooks(hooks: Hooks): Hooks;
}

const textMaxLength = 256 * 1024;
const undeclaredMax = 10;

/** Tells whether a Content-Type is that of JSON. */
export function isJsonType(type: string | undefined): boolean {
  return /^application\/json\s*(;|$)/i.test(type ?? '');
}

function isUndeclared({ request, json, headers }: Exchange): boolean {
  return isObject(json) && request.isUpgrade !== true && !isJsonType(headers['content-type']);
}

/** Opens an empty journal. */
export function openJournal(now: () => number): RunJournal {
  const entries: JournalEntry[] = [];
  const undeclared: Exchange[] = [];
  const crashes: Exchange[] = [];
  const formFaults = new Map<string, FormFault>();
  return {
    ...{ entries, undeclared, crashes, formFaults },
    noteExchange: (exchange) => {
      const { request, status, text } = exchange;
      if (undeclared.length < undeclaredMax && isUndeclared(exchange)) undeclared.push(exchange);
      if (crashes.length === 0 && status === 500) crashes.push(exchange);
      for (const fault of findFormFaults(exchange))
        if (!formFaults.has(fault.requirement)) formFaults.set(fault.requirement, fault);
      entries.push({ kind: 'request', request, status, text: text.length > textMaxLength ? '' : text, at: now() });
    },
    recordHooks: (hooks) => ({
      ...hooks,
      grant: async (botId, amount) => {
        await hooks.grant(botId, amount);
        entries.push({ kind: 'grant', botId, amount });
      },
      suspend: async (botId) => {
        await hooks.suspend(botId);
        entries.push({ kind: 'suspend', botId, amount: 0 });
      },
      moveClock: async (seconds) => {
        await hooks.moveClock(seconds);
        entries.push({ kind: 'clock', botId: '', amount: seconds });
      },
    }),
  };
}
