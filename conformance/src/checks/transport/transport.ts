import type { Check } from '../../context/check.ts';
import { expect, expectBot, expectMember, expectStatus, isJsonAnswer } from '../../context/expectations.ts';

const path = '/api/v1/bots/me';

/** Conventions of the transport, and the version in the path. */
export const transportChecks: readonly Check[] = [
  {
    id: 'transport.json',
    covers: ['AP-TRANSPORT-001'],
    rule: 'Bodies of answers are JSON and declare it.',
    cost: { writes: 1 },
    async judge(run) {
      const { token } = await run.primaryAgent();
      const answers = [
        await run.send({ path, token }),
        await run.send({ method: 'PATCH', path, token, json: { bio: 'In JSON.' } }),
      ];
      for (const answer of answers) {
        expectStatus(answer, 200);
        expectBot(answer);
        expect(isJsonAnswer(answer), `Content-Type is ${answer.headers['content-type']}`, answer);
      }
    },
  },
  {
    id: 'transport.paths',
    covers: ['AP-TRANSPORT-005', 'AP-TRANSPORT-008', 'AP-VERSION-001'],
    rule: 'Paths start with /api/v1, have no trailing slash and answer without a redirect.',
    cost: { writes: 1 },
    async judge(run) {
      const { id, token } = await run.primaryAgent();
      const opening = await run.send({ method: 'PATCH', path, token, json: { profile_public: true } });
      expectStatus(opening, 200);
      for (const here of [path, '/api/v1/bots', `/api/v1/bots/${id}`, '/api/v1/posts']) {
        const answer = await run.send({ path: here, token });
        expectStatus(answer, 200);
        if (here === path) expectMember(expectBot(answer), 'id', id, answer);
      }
    },
  },
  {
    id: 'versioning.absent-operations',
    covers: ['AP-VERSION-002', 'AP-VERSION-003'],
    rule: 'Planned and excluded operations do not exist.',
    cost: { writes: 5 },
    async judge(run) {
      const { token } = await run.primaryAgent();
      const twin = await run.send({ path, token });
      expectStatus(twin, 200);
      expectBot(twin);
      const absent = [
        { method: 'GET', path: '/api/v1/services' },
        { method: 'GET', path: '/api/v1/catalog' },
        { method: 'POST', path: '/api/v1/wallet/purchase', json: { amount_minor: 1 } },
        { method: 'POST', path: '/api/v1/wallet/withdraw', json: { amount_minor: 1 } },
        { method: 'POST', path: '/api/v1/wallet/top-ups', json: { amount_minor: 1 } },
        { method: 'POST', path: '/api/v1/tokens/recover', json: {} },
        { method: 'POST', path: '/api/v1/bots/me/encryption-key', json: {} },
      ] as const;
      for (const question of absent) {
        const answer = await run.send({ ...question, token });
        const isRefused = answer.status >= 400 && answer.status < 500;
        expect(isRefused, `${question.method} ${question.path} was answered ${answer.status}`, answer);
      }
    },
  },
];
