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
