import { framesAtOnce } from './frame-proxy.ts';
import type { Fault, PassingReply, PassingRequest } from './passing.ts';

/** A JSON object that a fault may change. */
export type Changeable = Record<string, unknown>;

/** A faulty server, and the checks that must detect it. */
export interface FaultyServer {
  readonly name: string;
  readonly kills: readonly string[];
  /** Made anew for each run: some faults have a state. */
  readonly fault: () => Fault;
}

/** A faulty server as a row of a table. A fault with a state is a function that makes it. */
export type FaultRow<F = Fault> = readonly [name: string, kills: string, fault: F | (() => F)];

/** Reads a table: the checks of a row are separated by spaces; one without a dot belongs to `area`. */
export function faultTable<F extends object = Fault>(area: string, rows: readonly FaultRow<F>[]) {
  return rows.map(([name, kills, fault]) => ({
    name,
    kills: kills.split(' ').map((id) => (id.includes('.') ? id : `${area}.${id}`)),
    fault: typeof fault === 'function' ? fault : () => fault,
  }));
}

/** Tells whether a request has this method and path (`GET /api/v1/bots/*`); a `*` stands for anything. */
export function isAbout(request: PassingRequest, about: string): boolean {
  const [method, path = '*'] = about.split(' ');
  const isPath = path.endsWith('*') ? request.path.startsWith(path.slice(0, -1)) : request.path === path;
  return isPath && (method === '*' || request.method === method);
}

type JsonChange = (body: Changeable) => unknown;

/**
 * Changes the replies of a pattern: method, path, and the status or error code that the reply must have
 * (`POST /api/v1/posts 201`). They get another status, another code, another reply in their place or,
 * by a function, another JSON body: what it returns, or the one it changed where that is no object.
 */
export function reply(pattern: string, becomes: number | string | PassingReply | JsonChange): Fault {
  const [method, path, condition] = pattern.split(' ');
  return replyWhen(
    (passing, request) =>
      isAbout(request, `${method} ${path}`) &&
      (condition === undefined || condition === String(passing.status) || condition === codeIn(passing)),
    (passing) => {
      if (typeof becomes === 'number') return { ...passing, status: becomes };
      if (typeof becomes === 'string') return refusal(passing.status, becomes);
      if (typeof becomes === 'object') return becomes;
      return { ...passing, body: changed(passing.body, becomes) };
    },
  );
}

/** Changes or replaces the replies that a function selects. */
export function replyWhen(
  isMeant: (reply: PassingReply, request: PassingRequest) => boolean,
  becomes: PassingReply | ((reply: PassingReply, request: PassingRequest) => PassingReply),
): Fault {
  const become = typeof becomes === 'function' ? becomes : () => becomes;
  return { onReply: (passing, request) => (isMeant(passing, request) ? become(passing, request) : passing) };
}

/** Changes the JSON of some requests before the server gets them, or replies to them without the server. */
export function request(about: string, becomes: PassingReply | JsonChange): Fault {
  return requestWhen(
    (passing) => isAbout(passing, about),
    typeof becomes === 'object' ? becomes : (passing) => ({ ...passing, body: changed(passing.body, becomes) }),
  );
}

/** Changes the requests that a function selects, or replies to them without the server. */
export function requestWhen(
  isMeant: (request: PassingRequest) => boolean,
  becomes: PassingReply | ((request: PassingRequest) => PassingRequest | PassingReply),
): Fault {
  const become = typeof becomes === 'function' ? becomes : () => becomes;
  return { onRequest: (passing) => (isMeant(passing) ? become(passing) : passing) };
}

/** Changes one field of a JSON body that is sent. */
export function field(about: string, name: string, become: (value: unknown, body: Changeable) => unknown): Fault {
  return request(about, (body) => ({ ...body, [name]: become(body[name], body) }));
}

/** Changes the query of some requests before the server gets them. */
export function query(about: string, change: (query: URLSearchParams) => unknown): Fault {
  return requestWhen(
    (passing) => isAbout({ ...passing, path: passing.path.split('?')[0] ?? '' }, about),
    (passing) => {
      const [path = '', search = ''] = passing.path.split('?');
      const parameters = new URLSearchParams(search);
      change(parameters);
      return { ...passing, path: parameters.size === 0 ? path : `${path}?${parameters}` };
    },
  );
}

/** Replaces the text of paths, queries included. */
export function path(pattern: string | RegExp, replacement: string): Fault {
  return { onRequest: (passing) => ({ ...passing, path: passing.path.replace(pattern, replacement) }) };
}

/** Changes an object inside of a JSON body. */
export function inside(member: string, change: JsonChange): JsonChange {
  return (body) => void change(body[member] as Changeable);
}

/** Sets members of an object inside of a JSON body. */
export function set(member: string, values: Changeable): JsonChange {
  return inside(member, (object) => Object.assign(object, values));
}

/** Removes a member of an object inside of a JSON body. */
export function drop(member: string, name: string): JsonChange {
  return inside(member, (object) => delete object[name]);
}

/** Changes a list inside of a JSON body, where there is one. */
export function items(member: string, change: (list: readonly Changeable[]) => readonly unknown[]): JsonChange {
  return (body) => (Array.isArray(body[member]) ? { ...body, [member]: change(body[member]) } : body);
}

/** Replaces texts in the bodies of replies below a path. */
export function renamed(below: string, names: readonly (readonly [from: string | RegExp, to: string])[]): Fault {
  return replyWhen(
    (_, request) => request.path.startsWith(below),
    (passing) => ({ ...passing, body: names.reduce((body, [from, to]) => body.replaceAll(from, to), passing.body) }),
  );
}

/** Several faults in one server, one after the other. */
export function atOnce(faults: readonly Fault[]): Fault {
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
    ...(frames.length > 0 ? { frames: framesAtOnce(frames) } : {}),
  };
}

/** A refusal in place of the server's reply. */
export function refusal(status: number, code: string): PassingReply {
  return json(status, { error: { code, message: 'No.' } });
}

/** A JSON reply in place of the server's. */
export function json(status: number, body: unknown): PassingReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** The token of a request. */
export function tokenOf(request: PassingRequest): string | undefined {
  return /^Bearer (.*)$/.exec(request.headers['authorization'] ?? '')?.[1];
}

/** The same request with another token. */
export function withToken(request: PassingRequest, token: string): PassingRequest {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}

function changed(text: string, change: JsonChange): string {
  const body = parse(text);
  if (body === undefined) return text;
  const next = change(body);
  return JSON.stringify(typeof next === 'object' && next !== null ? next : body);
}

/** The JSON object of a body, where it is one. */
export function parse(text: string): Changeable | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Changeable) : undefined;
  } catch {
    return undefined;
  }
}

/** The first id in a text. */
export function idIn(text: string): string {
  return /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text)?.[0] ?? '';
}

/** The code of a refusal. */
export function codeIn({ body }: PassingReply): string | undefined {
  const { code } = (parse(body)?.['error'] ?? {}) as { readonly code?: string };
  return code;
}

/** A text cut to a length; other values stay. */
export function cut(value: unknown, length: number): unknown {
  return typeof value === 'string' ? value.slice(0, length) : value;
}
