import type { Exchange, HttpRequest } from './http/http-client.ts';
import { parseBearerToken } from './http/http-client.ts';
import { isObject } from './json.ts';
import { rotatePath } from './paths.ts';
import { type FormatFault, findFormatFaults } from './record-forms.ts';
import { unansweredExchange } from './retry-policy.ts';

/** A request that the run sent, with the parts of the answer that a reproduction script needs. */
export interface SentRequest {
  readonly kind: 'request';
  readonly request: HttpRequest;
  readonly status: number;
  /** The body of the answer; empty if it is very long, because scripts only use values from short answers. */
  readonly text: string;
  /** The time in milliseconds since 1970. */
  readonly at: number;
}

/** A successful call of a hook: the operator of the server acted on behalf of the run. */
export interface HookCall {
  readonly kind: 'grant' | 'suspend' | 'clock';
  readonly botId: string;
  /** For `grant`, minor units of credit; for `clock`, seconds; otherwise 0. */
  readonly amount: number;
}

export type JournalEntry = SentRequest | HookCall;

const textMaxLength = 256 * 1024;
const undeclaredMax = 10;

export function isJsonType(type: string | undefined): boolean {
  return /^application\/json\s*(;|$)/i.test(type ?? '');
}

/** The journal contains secrets and is kept only in memory. `isToken` tells whether the server issued a token. */
export function openJournal(now: () => number, isToken: (token: string) => boolean) {
  const entries: JournalEntry[] = [];
  const undeclared: Exchange[] = [];
  const crashes: Exchange[] = [];
  const leaks: Exchange[] = [];
  const noteLeak = (exchange: Exchange) => {
    const { request, text } = exchange;
    const token = parseBearerToken(request.headers['authorization']) ?? '';
    if (leaks.length === 0 && request.path !== rotatePath && isToken(token) && text.includes(token))
      leaks.push(exchange);
  };
  const formFaults = new Map<string, FormatFault>();
  return {
    entries: entries as readonly JournalEntry[],
    /** The first answers with a JSON object but another Content-Type. */
    undeclared: undeclared as readonly Exchange[],
    /** The first answer with status 500, if there was one. */
    crashes: crashes as readonly Exchange[],
    /** The first answer that contains the token of its request, if there was one. */
    leaks: leaks as readonly Exchange[],
    /** For each requirement, the first answer with a record that violates it. */
    formFaults: formFaults as ReadonlyMap<string, FormatFault>,
    noteExchange: (exchange: Exchange): void => {
      const { request, status, text, json, headers } = exchange;
      const isUndeclared = isObject(json) && request.isUpgrade !== true && !isJsonType(headers['content-type']);
      if (isUndeclared && undeclared.length < undeclaredMax) undeclared.push(exchange);
      if (crashes.length === 0 && status === 500) crashes.push(exchange);
      noteLeak(exchange);
      for (const fault of findFormatFaults(exchange))
        if (!formFaults.has(fault.requirement)) formFaults.set(fault.requirement, fault);
      entries.push({ kind: 'request', request, status, text: text.length > textMaxLength ? '' : text, at: now() });
    },
    noteFrame: (request: HttpRequest, text: string): void =>
      noteLeak({ ...unansweredExchange(request), status: 101, text }),
    noteHook: (call: HookCall): void => void entries.push(call),
  };
}
