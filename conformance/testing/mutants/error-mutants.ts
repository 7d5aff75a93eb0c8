import {
  faultTable,
  isAbout,
  json,
  parse,
  refusal,
  reply,
  replyWhen,
  request,
  requestWhen,
  tokenOf,
} from '../faults.ts';
import type { Fault, PassingReply } from '../passing.ts';
import { staysAsSeen } from '../stateful-faults.ts';

const change = 'PATCH /api/v1/bots/me';
const card = 'GET /api/v1/bots/*';
const html = { 'content-type': 'text/html' };
const isChange = (passing: Parameters<typeof isAbout>[0]) => isAbout(passing, change);

/** Servers that refuse wrongly, or not at all, or reply with something other than JSON. */
export const errorMutants = faultTable('errors', [
  ['an error is a text', 'form', refusals(({ status }) => json(status, { error: 'refused' }))],
  ['an error has no code', 'form', refusals(({ status }) => json(status, { error: { message: 'No.' } }))],
  ['an error has a number for its code', 'form', refusals(({ status }) => json(status, { error: { code: status } }))],
  ['an error has its members at the top', 'form', refusals(({ status }) => json(status, { code: 'no', message: '' }))],
  [
    'a message is an object',
    'form',
    refusals(({ status, body }) =>
      json(status, { error: { ...(parse(body)?.['error'] as object), message: { en: 'No.' } } }),
    ),
  ],
  ['errors are HTML', 'form access.absent', refusals(({ status }) => ({ status, headers: html, body: '<h1>No</h1>' }))],
  ['a malformed body is 500', 'broken-json not-an-object own-profile.type', reply(`${change} 400`, 500)],
  ['a malformed body is 422', 'broken-json not-an-object own-profile.boolean', reply(`${change} 400`, 422)],
  ['a malformed body has an unknown code', 'broken-json not-an-object', reply(`${change} 400`, 'bad_request')],
  [
    'broken JSON is an empty object',
    'broken-json',
    text((body) => (isJson(body) || body.startsWith('<') ? body : '{}')),
  ],
  [
    'JSON that is not an object is an empty object',
    'not-an-object',
    text((body) => (isJson(body) && parse(body) === undefined ? '{}' : body)),
  ],
  ['a closed profile is 403', 'not-found', reply(`${card} 404`, refusal(403, 'forbidden'))],
  ['a missing agent has a code of its own', 'not-found', reply(`${card} 404`, 'no_such_bot')],
  [
    'a closed profile stays readable',
    'not-found',
    staysAsSeen((passing) => isAbout(passing, card) && !passing.path.endsWith('/me')),
  ],
  ['an unknown agent is 200', 'not-found', reply(`${card} 404`, 200)],
  [
    'a body has no limit',
    'body-size',
    text((body) => (body.length > 65_536 ? body.trim().replace(/ +}$/, '}') : body)),
  ],
  ['a body has half of the limit', 'body-size', tooLarge(32_768)],
  ['a body has one byte less than the limit', 'body-size', tooLarge(65_535)],
  ['a body that is too large is 400', 'body-size', reply(`${change} 413`, 400)],
  [
    'every type is JSON',
    'media-type',
    requestWhen(
      (passing) => isChange(passing) && passing.body.startsWith('<'),
      (passing) => ({ ...passing, headers: { ...passing.headers, 'content-type': 'application/json' }, body: '{}' }),
    ),
  ],
  ['another type is a malformed body', 'media-type', reply(`${change} 415`, 400)],
  ['replies are of the type text', 'transport.json', typed({ 'content-type': 'text/plain' })],
  ['replies have no type', 'transport.json', typed({})],
  [
    'paths are redirected to a slash',
    'transport.paths',
    requestWhen(
      (passing) => isAbout(passing, 'GET /api/v1/bots'),
      ({ path }) => ({ status: 308, headers: { location: `${path}/` }, body: '' }),
    ),
  ],
  ['posts are at another version', 'transport.paths', request('GET /api/v1/posts', refusal(404, 'not_found'))],
  [
    'a catalog of services exists',
    'versioning.absent-operations',
    request('GET /api/v1/services', json(200, { services: [] })),
  ],
  [
    'credits can be bought',
    'versioning.absent-operations',
    requestWhen(
      (passing) => isAbout(passing, 'POST /api/v1/wallet/purchase') && tokenOf(passing) !== undefined,
      json(201, {}),
    ),
  ],
  [
    'the encryption key can be changed',
    'versioning.absent-operations',
    request('POST /api/v1/bots/me/*', json(200, {})),
  ],
]);

function refusals(become: (reply: PassingReply) => PassingReply): Fault {
  return replyWhen(({ status }) => status >= 400, become);
}

function typed(headers: PassingReply['headers']): Fault {
  return { onReply: (passing) => ({ ...passing, headers }) };
}

function text(repair: (body: string) => string): Fault {
  return requestWhen(isChange, (passing) => ({ ...passing, body: repair(passing.body) }));
}

function tooLarge(maxBytes: number): Fault {
  return requestWhen(({ body }) => body.length > maxBytes, refusal(413, 'body_too_large'));
}

function isJson(body: string): boolean {
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}
