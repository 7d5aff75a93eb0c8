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

const textMaxLength = 256 * 1024;
const undeclaredMax = 10;

/** Tells whether a Content-Type is that of JSON. */
export function isJsonType(type: string | undefined): boolean {
  return /^application\/json\s*(;|$)/i.test(type ?? '');
}

/** Opens the journal of all that a run did to its server, in order; secrets are in it, and it never leaves the memory. */
export function openJournal(now: () => number) {
  const entries: JournalEntry[] = [];
  const undeclared: Exchange[] = [];
  const crashes: Exchange[] = [];
  const formFaults = new Map<string, FormFault>();
  return {
    entries: entries as readonly JournalEntry[],
    /** The first answers that are JSON and do not say so. */
    undeclared: undeclared as readonly Exchange[],
    /** The first answer with a 500. */
    crashes: crashes as readonly Exchange[],
    /** The first answer for each requirement that has a record of another form. */
    formFaults: formFaults as ReadonlyMap<string, FormFault>,
    noteExchange: (exchange: Exchange): void => {
      const { request, status, text, json, headers } = exchange;
      const isUndeclared = isObject(json) && request.isUpgrade !== true && !isJsonType(headers['content-type']);
      if (isUndeclared && undeclared.length < undeclaredMax) undeclared.push(exchange);
      if (crashes.length === 0 && status === 500) crashes.push(exchange);
      for (const fault of findFormFaults(exchange))
        if (!formFaults.has(fault.requirement)) formFaults.set(fault.requirement, fault);
      entries.push({ kind: 'request', request, status, text: text.length > textMaxLength ? '' : text, at: now() });
    },
    noteHook: (call: HookCall): void => void entries.push(call),
  };
}
