import { combineFrameFaults } from './frame-proxy.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from './passing.ts';

/** A JSON object that a fault may change. */
export type MutableObject = Record<string, unknown>;

export interface FaultyServer {
  readonly name: string;
  readonly kills: readonly string[];
  /** Creates the fault for each run, because some faults have state. */
  readonly fault: () => Fault;
}

/** Whether a request has this method and path (`GET /api/v1/bots/*`); `*` matches any method or the rest of a path. */
export function isAbout(request: ProxiedRequest, about: string): boolean {
  const [method, path = '*'] = about.split(' ');
  const isPath = path.endsWith('*') ? request.path.startsWith(path.slice(0, -1)) : request.path === path;
  return isPath && (method === '*' || request.method === method);
}

/** Returns the changed object; if the result is not an object, nothing changes. */
export type JsonChange = (body: MutableObject) => unknown;

export function changeSelectedReplies(
  isMeant: (reply: ProxiedReply, request: ProxiedRequest) => boolean,
  become: (reply: ProxiedReply, request: ProxiedRequest) => ProxiedReply,
): Fault {
  return { onReply: (passing, request) => (isMeant(passing, request) ? become(passing, request) : passing) };
}

/** Changes the requests that a function selects, or answers them without the server. */
export function changeRequests(
  isMeant: (request: ProxiedRequest) => boolean,
  become: (request: ProxiedRequest) => ProxiedRequest | ProxiedReply,
): Fault {
  return { onRequest: (passing) => (isMeant(passing) ? become(passing) : passing) };
}

/** Changes the JSON body of requests with this method and path before they reach the server. */
export function changeRequestJson(about: string, change: JsonChange): Fault {
  return changeRequests(
    (passing) => isAbout(passing, about),
    (passing) => withJson(passing, change),
  );
}

/** Returns a change of the object in this member of a body; other bodies stay unchanged. */
export function changeInnerObject(member: string, change: JsonChange): JsonChange {
  return (body) => {
    const inner = body[member];
    return typeof inner === 'object' && inner !== null ? { ...body, [member]: change(inner as MutableObject) } : body;
  };
}

/** Returns a change of the list in this member of a body; other bodies stay unchanged. */
export function changeInnerList(
  member: string,
  change: (list: readonly MutableObject[]) => readonly unknown[],
): JsonChange {
  return (body) => (Array.isArray(body[member]) ? { ...body, [member]: change(body[member]) } : body);
}

/** Combines faults, which apply in sequence. */
export function combineFaults(faults: readonly Fault[]): Fault {
  const frames = faults.flatMap((fault) => fault.frames ?? []);
  return {
    onRequest: (request) => {
      let passing = request;
      for (const { onRequest } of faults) {
        const next = onRequest?.(passing) ?? passing;
        if ('status' in next) return next;
        passing = next;
      }
      return passing;
    },
    onReply: (passing, request) => faults.reduce((last, { onReply }) => onReply?.(last, request) ?? last, passing),
    ...(frames.length > 0 ? { frames: combineFrameFaults(frames) } : {}),
  };
}

export function refusal(status: number, code: string): ProxiedReply {
  return jsonReply(status, { error: { code, message: 'No.' } });
}

export function jsonReply(status: number, body: unknown): ProxiedReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

export function tokenOf(request: ProxiedRequest): string | undefined {
  return /^Bearer (.*)$/.exec(request.headers['authorization'] ?? '')?.[1];
}

export function withToken(request: ProxiedRequest, token: string): ProxiedRequest {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}

/** The same request or reply with a changed body, if the body is a JSON object. */
export function withJson<M extends ProxiedReply | ProxiedRequest>(message: M, change: JsonChange): M {
  const body = parseJsonObject(message.body);
  if (body === undefined) return message;
  const next = change(body);
  return { ...message, body: JSON.stringify(typeof next === 'object' && next !== null ? next : body) };
}

/** Parses a body; undefined if it is not a JSON object. */
export function parseJsonObject(text: string): MutableObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as MutableObject) : undefined;
  } catch {
    return undefined;
  }
}

/** The first id in a text; an empty string if there is none. */
export function idIn(text: string): string {
  return /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text)?.[0] ?? '';
}

export function codeIn({ body }: ProxiedReply): string | undefined {
  const { code } = (parseJsonObject(body)?.['error'] ?? {}) as { readonly code?: string };
  return code;
}
