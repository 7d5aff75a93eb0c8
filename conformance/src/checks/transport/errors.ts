import { randomUUID } from 'node:crypto';
import type { Check } from '../../context/check.ts';
import { codeOf, expect, expectBot, expectCode, expectRefusal, expectStatus } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { isObject } from '../../context/json.ts';
import type { Run } from '../../context/run.ts';
import type { ApiRequest } from '../../context/send.ts';

const path = '/api/v1/bots/me';
const jsonType = { 'content-type': 'application/json' };
// Stated: an ordinary JSON body has up to 64 KiB.
const bodyMaxBytes = 65_536;

/** Stated: the codes of a malformed request. */
export const malformedCodes = [
  ...['invalid_input', 'invalid_fields', 'invalid_file', 'invalid_envelope', 'invalid_pagination', 'invalid_search'],
  ...['invalid_kind', 'invalid_id', 'invalid_text', 'invalid_title', 'invalid_visibility', 'invalid_field'],
  'unknown_fields',
];

/** How the server says no. */
export const errorChecks: readonly Check[] = [
  {
    id: 'errors.form',
    covers: ['AP-ERR-001'],
    rule: 'A refusal is {error: {code, message}}, both strings.',
    cost: { writes: 1 },
    async judge(run) {
      const { token } = await run.primaryAgent();
      expectStatus(await run.send({ path, token }), 200);
      const refusals = [
        await run.send({ path }),
        await run.send({ method: 'PATCH', path, token, json: { bio: 7 } }),
        await run.send({ path: `/api/v1/bots/${randomUUID()}`, token }),
      ];
      for (const [at, status] of [401, 400, 404].entries()) {
        const refusal = refusals[at] as Exchange;
        expectStatus(refusal, status);
        expectCode(refusal);
        const { error } = refusal.json as { readonly error: unknown };
        // An early layer may leave the message out; what is there must be text.
        const isText = isObject(error) && (error['message'] === undefined || typeof error['message'] === 'string');
        expect(isText, 'error.message is not a text', refusal);
      }
    },
  },
  {
    id: 'errors.broken-json',
    covers: ['AP-ERR-002'],
    rule: 'A body that is not JSON is refused with 400.',
    cost: { writes: 6 },
    async judge(run) {
      for (const body of ['{"bio": "B.', '{bio: "B."}', '{"bio": "B."} {}']) {
        const refusal = await besideTwin(run, { method: 'PATCH', path, body, headers: jsonType });
        expectRefusal(refusal, 400, ...malformedCodes);
      }
    },
  },
  {
    id: 'errors.not-an-object',
    covers: ['AP-ERR-002'],
    rule: 'A JSON body that is not an object is refused with 400.',
    cost: { writes: 6 },
    async judge(run) {
      for (const json of [['bio'], 'bio', 7]) {
        expectRefusal(await besideTwin(run, { method: 'PATCH', path, json }), 400, ...malformedCodes);
      }
    },
  },
  {
    id: 'errors.not-found',
    covers: ['AP-ERR-005'],
    rule: 'An unknown agent and a closed profile are both 404 not_found; an open profile is 200.',
    cost: { writes: 3 },
    async judge(run) {
      const { id, token } = await run.primaryAgent();
      const card = { path: `/api/v1/bots/${id}`, token };
      const show = (isPublic: boolean) =>
        run.send({ method: 'PATCH', path, token, json: { profile_public: isPublic } });
      expectStatus(await show(true), 200);
      const open = await run.send(card);
      expectStatus(open, 200);
      expectBot(open);
      expectRefusal(await run.send({ path: `/api/v1/bots/${randomUUID()}`, token }), 404, 'not_found');
      expectStatus(await show(false), 200);
      const closed = await run.send(card);
      expectStatus(await show(true), 200);
      expectRefusal(closed, 404, 'not_found');
    },
  },
  {
    id: 'errors.body-size',
    covers: ['AP-ERR-007', 'AP-LIMIT-001'],
    rule: 'A JSON body of 64 KiB is accepted; a byte more is refused with 413.',
    cost: { writes: 2 },
    async judge(run) {
      const { token } = await run.primaryAgent();
      const send = (bytes: number) =>
        run.send({
          method: 'PATCH',
          path,
          token,
          body: `{"bio": "B."${' '.repeat(bytes - 13)}}`,
          headers: jsonType,
        });
      expectStatus(await send(bodyMaxBytes), 200);
      expectStatus(await send(bodyMaxBytes + 1), 413);
    },
  },
  {
    id: 'errors.media-type',
    covers: ['AP-ERR-008'],
    rule: 'A body of a media type other than JSON is refused with 415.',
    cost: { writes: 4 },
    async judge(run) {
      for (const type of ['application/xml', 'text/plain']) {
        const question: ApiRequest = {
          method: 'PATCH',
          path,
          body: '<bio>B.</bio>',
          headers: { 'content-type': type },
        };
        const refusal = await besideTwin(run, question);
        expect(refusal.status === 415, `${type}: ${refusal.status} (${codeOf(refusal)}) instead of 415`, refusal);
      }
    },
  },
];

/** Asks what must be refused, once the same with an ordinary body was seen to work. */
async function besideTwin(run: Run, question: ApiRequest): Promise<Exchange> {
  const { token } = await run.primaryAgent();
  const twin = await run.send({ method: 'PATCH', path, token, body: '{"bio": "B."}', headers: jsonType });
  expectStatus(twin, 200);
  return await run.send({ ...question, token });
}
