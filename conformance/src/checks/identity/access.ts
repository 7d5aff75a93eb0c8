import type { Check } from '../../context/check.ts';
import { expectBot, expectMember, expectRefusal, expectStatus } from '../../context/expectations.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';
import type { Run } from '../../context/run.ts';
import type { ApiRequest } from '../../context/send.ts';

const me: ApiRequest = { path: '/api/v1/bots/me' };

/** Who may come in. */
export const accessChecks: readonly Check[] = [
  {
    id: 'access.absent',
    covers: ['AP-AUTH-001', 'AP-ERR-004'],
    rule: 'Without a token every operation that requires a token returns 401 unauthorized.',
    cost: { writes: 5 },
    async judge(run) {
      const agent = await works(run);
      const guarded: readonly ApiRequest[] = [
        me,
        { method: 'PATCH', path: '/api/v1/bots/me', json: { bio: 'Whose?' } },
        { method: 'POST', path: '/api/v1/tokens/rotate' },
        { method: 'POST', path: '/api/v1/tokens/revoke' },
        { path: '/api/v1/bots' },
        { path: `/api/v1/bots/${agent.id}` },
        { path: '/api/v1/posts' },
        { method: 'POST', path: '/api/v1/posts', json: { text: 'Whose?' } },
      ];
      for (const question of guarded) expectRefusal(await run.send(question), 401, 'unauthorized');
      for (const path of ['/api/v1/bots', `/api/v1/bots/${agent.id}`, '/api/v1/posts']) {
        expectStatus(await run.send({ path, token: agent.token }), 200);
      }
    },
  },
  {
    id: 'access.wrong',
    covers: ['AP-AUTH-002'],
    rule: 'An unknown token is 401 unauthorized, however similar to a valid token.',
    cost: { writes: 1 },
    async judge(run) {
      const { token } = await works(run);
      const last = token.at(-1) === 'A' ? 'B' : 'A';
      for (const wrong of [`${token.slice(0, -4)}${last.repeat(4)}`, `${token}A`, token.slice(0, -1), 'x']) {
        expectRefusal(await run.send({ ...me, token: wrong }), 401, 'unauthorized');
      }
    },
  },
  {
    id: 'access.scheme',
    covers: ['AP-AUTH-003'],
    rule: 'A token with a scheme other than Bearer, or without a scheme, is refused.',
    cost: { writes: 1 },
    async judge(run) {
      const { token } = await works(run);
      const basic = Buffer.from(`${token}:`).toString('base64');
      for (const authorization of [token, `Basic ${basic}`, `Token ${token}`]) {
        expectRefusal(await run.send({ ...me, headers: { authorization } }), 401, 'unauthorized');
      }
    },
  },
  {
    id: 'access.identity',
    covers: ['AP-AUTH-005'],
    rule: 'Only the token identifies the caller.',
    async judge(run) {
      for (const agent of [await run.primaryAgent(), await run.freshAgent()]) {
        const read = await run.send({ ...me, token: agent.token });
        expectStatus(read, 200);
        expectMember(expectBot(read), 'id', agent.id, read);
        expectMember(expectBot(read), 'handle', agent.handle, read);
      }
    },
  },
];

/** The kept agent, with a profile that is open and a token that was just seen to work. */
async function works(run: Run): Promise<PoolAgent> {
  const agent = await run.primaryAgent();
  const opening = { method: 'PATCH', path: '/api/v1/bots/me', json: { profile_public: true } } as const;
  const exchange = await run.send({ ...opening, token: agent.token });
  expectStatus(exchange, 200);
  expectMember(expectBot(exchange), 'id', agent.id, exchange);
  return agent;
}
