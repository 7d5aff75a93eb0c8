import { framesAtOnce } from './frame-proxy.ts';
import type { Fault, PassingAnswer, PassingRequest } from './proxy.ts';

/** A JSON object that a fault may change. */
export type Changeable = Record<string, unknown>;

/** A faulty server, and the checks that must find it out. */
export interface Mutant {
  readonly name: string;
  readonly kills: readonly string[];
  /** Made anew for each run: some faults remember what passed. */
  readonly fault: () => Fault;
}

/** A faulty server by its name. */
export function mutant(name: string, kills: readonly string[], fault: Mutant['fault']): Mutant {
  return { name, kills, fault };
}

/** Tells which requests a fault is about: `PATCH /api/v1/bots/me`. */
export function isAbout(request: PassingRequest, about: string): boolean {
  const [method, path = ''] = about.split(' ');
  return request.method === method && (path.endsWith('*') ? isBelow(request, path) : request.path === path);
}

function isBelow(request: PassingRequest, path: string): boolean {
  return request.path.startsWith(path.slice(0, -1));
}

/** Changes the JSON of the answers to some requests, those with this status. */
export function inAnswer(about: string, status: number, change: (body: Changeable) => unknown): Fault {
  return {
    onAnswer: (answer, request) =>
      isAbout(request, about) && answer.status === status ? withJson(answer, change) : answer,
  };
}

/** Changes the bot in the answers to some requests. */
export function inBot(about: string, status: number, change: (bot: Changeable) => unknown): Fault {
  return inAnswer(about, status, (body) => {
    change(body['bot'] as Changeable);
  });
}

/** Changes one status into another, where the request fits. */
export function otherStatus(about: string, from: number, to: number): Fault {
  return {
    onAnswer: (answer, request) =>
      isAbout(request, about) && answer.status === from ? { ...answer, status: to } : answer,
  };
}

/** Changes the JSON of some requests before the server sees them: a rule that is not kept. */
export function inRequest(about: string, change: (body: Changeable) => unknown): Fault {
  return {
    onRequest: (request) => {
      if (!isAbout(request, about)) return request;
      const body = parse(request.body);
      if (body === undefined) return request;
      return { ...request, body: JSON.stringify(change(body) ?? body) };
    },
  };
}

/** Several faults in one server, one after the other. */
export function atOnce(faults: readonly Fault[]): Fault {
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
    onAnswer: (answer, request) => faults.reduce((last, { onAnswer }) => onAnswer?.(last, request) ?? last, answer),
    frames: framesAtOnce(faults.flatMap(({ frames }) => frames ?? [])),
  };
}

/** Answers a refusal in place of the server. */
export function refusal(status: number, code: string): PassingAnswer {
  return json(status, { error: { code, message: 'No.' } });
}

/** Answers JSON in place of the server. */
export function json(status: number, body: unknown): PassingAnswer {
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

function withJson(answer: PassingAnswer, change: (body: Changeable) => unknown): PassingAnswer {
  const body = parse(answer.body);
  return body === undefined ? answer : { ...answer, body: JSON.stringify(change(body) ?? body) };
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

/** Changes the query of some requests before the server sees them. */
export function inQuery(about: string, change: (query: URLSearchParams) => void): Fault {
  return {
    onRequest: (request) => {
      const [path = '', search = ''] = request.path.split('?');
      if (!isAbout({ ...request, path }, about)) return request;
      const query = new URLSearchParams(search);
      change(query);
      return { ...request, path: query.size === 0 ? path : `${path}?${query}` };
    },
  };
}

/** Answers what a request was answered once, for ever: nothing is hidden again. */
export function staysAsSeen(isMeant: (request: PassingRequest) => boolean): Fault {
  const seen = new Map<string, PassingAnswer>();
  return {
    onAnswer: (answer, request) => {
      if (!isMeant(request)) return answer;
      const asked = `${tokenOf(request)} ${request.method} ${request.path}`;
      if (answer.status === 200 && !seen.has(asked)) seen.set(asked, answer);
      return seen.get(asked) ?? answer;
    },
  };
}

/** Lets everybody do with posts and files what their owner may, where the request is meant. */
export function lendsToEverybody(isMeant: (request: PassingRequest) => boolean): Fault {
  const owners = new Map<string, string>();
  return {
    onRequest: (request) => {
      const owner = owners.get(idIn(request.path));
      return owner !== undefined && isMeant(request) ? withToken(request, owner) : request;
    },
    onAnswer: (answer, request) => {
      const created = parse(answer.body);
      const record = (created?.['post'] ?? created?.['attachment']) as Changeable | undefined;
      const token = tokenOf(request);
      if (request.method === 'POST' && typeof record?.['id'] === 'string' && token !== undefined) {
        owners.set(record['id'], token);
      }
      return answer;
    },
  };
}

/** The id in a path. */
export function idIn(path: string): string {
  return /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(path)?.[0] ?? '';
}

/** Says yes where the server says no with this code. */
export function takenDespite(about: string, code: string, answer: PassingAnswer): Fault {
  return {
    onAnswer: (refused, request) =>
      isAbout(request, about) && codeIn(refused) === code && tokenOf(request) !== undefined ? answer : refused,
  };
}

/** Names another code, with the status that the refusal has. */
export function otherCode(from: string, to: string): Fault {
  return { onAnswer: (answer) => (codeIn(answer) === from ? refusal(answer.status, to) : answer) };
}

/** Refuses a request while another one like it is on its way: a race that nobody thought of. */
export function refusesMeanwhile(about: string, refused: PassingAnswer): Fault {
  let onTheirWay = 0;
  return {
    onRequest: (request) => {
      if (!isAbout(request, about)) return request;
      if (onTheirWay > 0) return refused;
      onTheirWay += 1;
      return request;
    },
    onAnswer: (answer, request) => {
      if (isAbout(request, about)) onTheirWay = 0;
      return answer;
    },
  };
}

/** The code of a refusal that passes by. */
export function codeIn({ body }: PassingAnswer): unknown {
  const error = parse(body)?.['error'];
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
