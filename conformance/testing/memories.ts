import { isAbout, type MutableObject, parseJsonObject, refusal, tokenOf } from './faults.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from './passing.ts';

/** The path of a request below /api/v1, without its query. */
export function pathBelowApi({ path }: ProxiedRequest): string {
  return path.replace(/\?.*$/s, '').replace('/api/v1', '');
}

export function queryOf({ path }: ProxiedRequest): URLSearchParams {
  return new URLSearchParams(path.split('?')[1]);
}

export function withQuery(request: ProxiedRequest, query: URLSearchParams): ProxiedRequest {
  const path = request.path.replace(/\?.*$/s, '');
  return { ...request, path: query.size === 0 ? path : `${path}?${query}` };
}

/** The object in a member of a JSON body; undefined if there is none. */
export function objectIn({ body }: ProxiedReply | ProxiedRequest, name: string): MutableObject | undefined {
  const value = parseJsonObject(body)?.[name];
  return typeof value === 'object' && value !== null ? (value as MutableObject) : undefined;
}

/** The value of a string member; an empty string if it is absent. */
export function textIn(body: MutableObject | undefined, name: string): string {
  const value = body?.[name];
  return typeof value === 'string' ? value : '';
}

export function refuseMatching(
  about: string,
  isRefused: (body: MutableObject) => boolean,
  status: number,
  code: string,
): Fault {
  return {
    onRequest: (request) =>
      isAbout(request, `${about}`) && isRefused(parseJsonObject(request.body) ?? {}) ? refusal(status, code) : request,
  };
}

/** Stores the last own profile that each agent received, by token. */
export function rememberAgents() {
  const bots = new Map<string, MutableObject>();
  return {
    note: (reply: ProxiedReply, request: ProxiedRequest): void => {
      const place = pathBelowApi(request);
      const token = tokenOf(request) ?? '';
      const issued = textIn(parseJsonObject(reply.body), 'token');
      const bot = objectIn(reply, 'bot');
      const known = bots.get(token);
      if (place === '/bots/register' && bot !== undefined) bots.set(issued, bot);
      if (place === '/bots/me' && bot !== undefined) bots.set(token, bot);
      if (place === '/tokens/rotate' && known !== undefined) bots.set(issued, known);
    },
    of: (request: ProxiedRequest): MutableObject | undefined => bots.get(tokenOf(request) ?? ''),
    all: (): readonly MutableObject[] => [...bots.values()],
    tokenOfAgent: (id: string): string | undefined => [...bots].findLast(([, bot]) => bot['id'] === id)?.[0],
  };
}

/** Counts the requests that are being handled, by key. */
export function countInProgress() {
  const counts = new Map<string, number>();
  return {
    /** Counts a request; returns whether another one with this key is being handled. */
    begin: (key: string): boolean => {
      const before = counts.get(key) ?? 0;
      counts.set(key, before + 1);
      return before > 0;
    },
    end: (key: string): void => {
      counts.set(key, Math.max(0, (counts.get(key) ?? 0) - 1));
    },
  };
}
