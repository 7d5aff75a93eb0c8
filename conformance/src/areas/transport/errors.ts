import { type Check, defineCheck, primaryAgent, type Run } from '../../context/check.ts';
import { errorCodeOf, expect } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { isObject } from '../../context/json.ts';
import { botsPath, mePath, postsPath, requestsPath } from '../../context/paths.ts';
import type { ApiRequest } from '../../context/send.ts';
import { setProfilePublic } from '../posts/publishing.ts';

const jsonType = { 'content-type': 'application/json' };
const change = { method: 'PATCH', path: mePath } as const;
// The specified maximum size of a JSON body.
const bodyMaxBytes = 65_536;

export const errorChecks: readonly Check[] = [
  defineCheck(primaryAgent, {
    id: 'errors.form',
    covers: ['AP-ERR-001'],
    rule: 'A refusal is {error: {code, message}}, both strings.',
    cost: { writes: 1 },
    async judge(agent, run) {
      expect.works(await agent.get(mePath));
      const answers = [
        await run.anonymous.get(mePath),
        await agent.patch(mePath, { bio: 7 }),
        await agent.get(`${botsPath}/${run.random.uuid()}`),
      ];
      // Judges only the bodies, because the statuses of these refusals have separate requirements.
      const refusals = answers.filter(({ status }) => status >= 400);
      for (const refusal of refusals) {
        expect.code(refusal);
        const { error } = refusal.json as { readonly error: unknown };
        // The message may be absent, because a proxy in front of the application may have refused the request.
        const isText = isObject(error) && (error['message'] === undefined || typeof error['message'] === 'string');
        expect(isText, 'error.message is not a text', refusal);
      }
      expect(refusals.length > 0, 'no invalid request was refused', answers[0]);
    },
  }),
  {
    id: 'errors.broken-json',
    covers: ['AP-ERR-002'],
    rule: 'A body that is not JSON is refused with 400.',
    cost: { writes: 8, contactRequests: 1 },
    async judge(run) {
      for (const body of ['{"bio": "B.', '{bio: "B."}', '{"bio": "B."} {}']) {
        expect.malformed(await sendAfterValid(run, { ...change, body, headers: jsonType }));
      }
      const agent = await run.primaryAgent();
      for (const path of [requestsPath, postsPath])
        expect.malformed(await agent.send({ method: 'POST', path, body: '{"text": "T.', headers: jsonType }));
    },
  },
  {
    id: 'errors.not-an-object',
    covers: ['AP-ERR-002'],
    rule: 'A JSON body that is not an object is refused with 400.',
    cost: { writes: 6 },
    async judge(run) {
      for (const json of [['bio'], 'bio', 7]) expect.malformed(await sendAfterValid(run, { ...change, json }));
    },
  },
  defineCheck(primaryAgent, {
    id: 'errors.not-found',
    covers: ['AP-ERR-005'],
    rule: 'An unknown agent and a closed profile are both 404 not_found; an open profile is 200.',
    cost: { writes: 3 },
    async judge(agent, run) {
      const card = () => agent.get(`${botsPath}/${agent.id}`);
      await setProfilePublic(run, agent, true);
      expect.bot(await card());
      expect.notFound(await agent.get(`${botsPath}/${run.random.uuid()}`));
      await setProfilePublic(run, agent, false);
      const closed = await card();
      await setProfilePublic(run, agent, true);
      expect.notFound(closed);
    },
  }),
  defineCheck(primaryAgent, {
    id: 'errors.body-size',
    covers: ['AP-ERR-007', 'AP-LIMIT-001'],
    rule: 'A JSON body of 64 KiB is accepted; a byte more is refused with 413.',
    cost: { writes: 6 },
    async judge(agent, run) {
      for (const [operation, member] of [
        [change, '"bio": "B."'],
        [{ method: 'POST', path: postsPath }, '"text": "T."'],
      ] as const) {
        const sendBytes = (bytes: number, headers: object = {}) => {
          const body = `{${member}${' '.repeat(bytes - member.length - 2)}}`;
          return agent.send({ ...operation, body, headers: { ...jsonType, ...headers } });
        };
        const tooLarge = await sendBytes(bodyMaxBytes + 1);
        // Without a stated length, a server must count the bytes; it may also refuse such a body for another reason.
        const inChunks = await sendBytes(bodyMaxBytes + 1, { 'transfer-encoding': 'chunked' });
        await run.requirement('AP-LIMIT-001', async () => {
          expect.success(await sendBytes(bodyMaxBytes));
          for (const answer of [tooLarge, inChunks])
            expect(answer.status >= 400, `${bodyMaxBytes + 1} bytes are accepted`, answer);
        });
        if (tooLarge.status >= 400) await run.requirement('AP-ERR-007', () => expect.status(tooLarge, 413));
      }
    },
  }),
  {
    id: 'errors.media-type',
    covers: ['AP-ERR-008'],
    rule: 'A body of a media type other than JSON is refused with 415.',
    cost: { writes: 6 },
    async judge(run) {
      for (const type of ['application/xml', 'text/plain', 'application/x-www-form-urlencoded']) {
        const answer = await sendAfterValid(run, {
          ...change,
          body: '<bio>B.</bio>',
          headers: { 'content-type': type },
        });
        expect(answer.status === 415, `${type}: ${answer.status} (${errorCodeOf(answer)}) instead of 415`, answer);
      }
    },
  },
];

async function sendAfterValid(run: Run, request: ApiRequest): Promise<Exchange> {
  const agent = await run.primaryAgent();
  expect.works(await agent.send({ ...change, body: '{"bio": "B."}', headers: jsonType }));
  return await agent.send(request);
}
