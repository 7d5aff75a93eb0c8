import { inAnswer, isAbout, json, type Mutant, mutant, otherStatus, parse, refusal, tokenOf } from '../faults.ts';
import type { Fault, PassingAnswer, PassingRequest } from '../proxy.ts';

const change = 'PATCH /api/v1/bots/me';
const card = 'GET /api/v1/bots/*';
const unreadable = ['errors.broken-json', 'errors.not-an-object'];

/** Servers that refuse wrongly, or not at all, or speak otherwise than in JSON. */
export const errorMutants: readonly Mutant[] = [
  refused('an error is a text', ['errors.form'], ({ status }) => json(status, { error: 'refused' })),
  refused('an error has no code', ['errors.form'], ({ status }) => json(status, { error: { message: 'No.' } })),
  refused('an error has a number for its code', ['errors.form'], ({ status }) =>
    json(status, { error: { code: status } }),
  ),
  refused('an error has its members at the top', ['errors.form'], ({ status }) =>
    json(status, { code: 'no', message: '' }),
  ),
  refused('a message is an object', ['errors.form'], (answer) =>
    json(answer.status, { error: { ...(parse(answer.body)?.['error'] as object), message: { en: 'No.' } } }),
  ),
  refused('errors are HTML', ['errors.form', 'access.absent'], ({ status }) => ({
    status,
    headers: { 'content-type': 'text/html' },
    body: '<h1>No</h1>',
  })),
  mutant('what is malformed is 500', [...unreadable, 'own-profile.type'], () => otherStatus(change, 400, 500)),
  mutant('what is malformed is 422', [...unreadable, 'own-profile.boolean'], () => otherStatus(change, 400, 422)),
  mutant('what is malformed has a code that nobody knows', unreadable, () =>
    inAnswer(change, 400, () => ({ error: { code: 'bad_request', message: 'No.' } })),
  ),
  body('broken JSON is mended', ['errors.broken-json'], (text) => (isJson(text) || text.startsWith('<') ? text : '{}')),
  body('JSON that is no object is an empty object', ['errors.not-an-object'], (text) =>
    isJson(text) && parse(text) === undefined ? '{}' : text,
  ),
  mutant('a closed profile is 403', ['errors.not-found'], () => ({
    onAnswer: (answer, request) =>
      isAbout(request, card) && answer.status === 404 ? refusal(403, 'forbidden') : answer,
  })),
  mutant('what is not there has a code of its own', ['errors.not-found'], () =>
    inAnswer(card, 404, () => ({ error: { code: 'no_such_bot', message: 'No.' } })),
  ),
  mutant('a closed profile stays readable', ['errors.not-found'], staysReadable),
  mutant('an unknown agent is 200', ['errors.not-found'], () => otherStatus(card, 404, 200)),
  mutant('a body has no limit', ['errors.body-size'], () =>
    onBody((text) => (text.length > 65_536 ? text.trim().replace(/ +}$/, '}') : text)),
  ),
  mutant('a body has half of the limit', ['errors.body-size'], () => tooLarge(32_768)),
  mutant('a body has one byte less than the limit', ['errors.body-size'], () => tooLarge(65_535)),
  mutant('a body that is too large is 400', ['errors.body-size'], () => otherStatus(change, 413, 400)),
  mutant('every type is JSON', ['errors.media-type'], () => ({
    onRequest: (request) => (isAbout(request, change) && request.body.startsWith('<') ? asJson(request) : request),
  })),
  mutant('another type is a malformed body', ['errors.media-type'], () => otherStatus(change, 415, 400)),
  mutant('answers are called text', ['transport.json'], () => ({
    onAnswer: (answer) => ({ ...answer, headers: { 'content-type': 'text/plain' } }),
  })),
  mutant('answers are called nothing', ['transport.json'], () => ({
    onAnswer: ({ status, body: text }) => ({ status, headers: {}, body: text }),
  })),
  mutant('paths are redirected to a slash', ['transport.paths'], () => ({
    onRequest: (request) =>
      isAbout(request, 'GET /api/v1/bots')
        ? { status: 308, headers: { location: `${request.path}/` }, body: '' }
        : request,
  })),
  mutant('posts are at another version', ['transport.paths'], () => ({
    onRequest: (request) => (isAbout(request, 'GET /api/v1/posts') ? refusal(404, 'not_found') : request),
  })),
  mutant('a catalog of services is there', ['versioning.absent-operations'], () => ({
    onRequest: (request) => (isAbout(request, 'GET /api/v1/services') ? json(200, { services: [] }) : request),
  })),
  mutant('credits can be bought', ['versioning.absent-operations'], () => ({
    onRequest: (request) =>
      isAbout(request, 'POST /api/v1/wallet/purchase') && tokenOf(request) ? json(201, {}) : request,
  })),
  mutant('the encryption key can be changed', ['versioning.absent-operations'], () => ({
    onRequest: (request) => (isAbout(request, 'POST /api/v1/bots/me/*') ? json(200, {}) : request),
  })),
];

function refused(name: string, kills: readonly string[], change: (answer: PassingAnswer) => PassingAnswer): Mutant {
  return { name, kills, fault: () => ({ onAnswer: (answer) => (answer.status >= 400 ? change(answer) : answer) }) };
}

function body(name: string, kills: readonly string[], repair: (text: string) => string): Mutant {
  return { name, kills, fault: () => onBody(repair) };
}

function onBody(repair: (text: string) => string): Fault {
  return {
    onRequest: (request) => (isAbout(request, change) ? { ...request, body: repair(request.body) } : request),
  };
}

function tooLarge(maxBytes: number): Fault {
  return {
    onRequest: (request) => (request.body.length > maxBytes ? refusal(413, 'body_too_large') : request),
  };
}

function asJson(request: PassingRequest): PassingRequest {
  return { ...request, headers: { ...request.headers, 'content-type': 'application/json' }, body: '{}' };
}

function staysReadable(): Fault {
  const seen = new Map<string, PassingAnswer>();
  return {
    onAnswer: (answer, request) => {
      if (!isAbout(request, card) || request.path.endsWith('/me')) return answer;
      if (answer.status === 200) seen.set(request.path, answer);
      return seen.get(request.path) ?? answer;
    },
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
