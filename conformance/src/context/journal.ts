import type { Exchange, HttpRequest } from './http/http-client.ts';
import { isObject } from './json.ts';
import { type FormatFault, findFormatFaults } from './record-forms.ts';

/** A request of the run, with the parts of its answer that a reproduction script needs. */
export interface SentRequest {
  readonly kind: 'request';
  readonly request: HttpRequest;
  readonly status: number;
  /** The body of the answer; empty if it is too long to contain a new value that a script needs. */
  readonly text: string;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** A successful call of a hook, through which the operator of the server acted for the run. */
export interface HookCall {
  readonly kind: 'grant' | 'suspend' | 'clock';
  readonly botId: string;
  /** The granted minor units, or the seconds by which the clock was moved. */
  readonly amount: number;
}

export type JournalEntry = SentRequest | HookCall;

const textMaxLength = 256 * 1024;
const undeclaredMax = 10;

/** Whether a Content-Type is JSON. */
export function isJsonType(type: string | undefined): boolean {
  return /^application\/json\s*(;|$)/i.test(type ?? '');
}

/** Opens the journal of all requests and hook calls of a run. It contains secrets and is kept only in memory. */
export function openJournal(now: () => number) {
  const entries: JournalEntry[] = [];
  const undeclared: Exchange[] = [];
  const crashes: Exchange[] = [];
  const formFaults = new Map<string, FormatFault>();
  return {
    entries: entries as readonly JournalEntry[],
    /** The first JSON answers without the matching Content-Type. */
    undeclared: undeclared as readonly Exchange[],
    /** The first answer with status 500, if there was one. */
    crashes: crashes as readonly Exchange[],
    /** The first answer with a malformed record, for each requirement. */
    formFaults: formFaults as ReadonlyMap<string, FormatFault>,
    noteExchange: (exchange: Exchange): void => {
      const { request, status, text, json, headers } = exchange;
      const isUndeclared = isObject(json) && request.isUpgrade !== true && !isJsonType(headers['content-type']);
      if (isUndeclared && undeclared.length < undeclaredMax) undeclared.push(exchange);
      if (crashes.length === 0 && status === 500) crashes.push(exchange);
      for (const fault of findFormatFaults(exchange))
        if (!formFaults.has(fault.requirement)) formFaults.set(fault.requirement, fault);
      entries.push({ kind: 'request', request, status, text: text.length > textMaxLength ? '' : text, at: now() });
    },
    noteHook: (call: HookCall): void => void entries.push(call),
  };
}
