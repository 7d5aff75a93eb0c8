import type { Check } from '../../context/check.ts';
import { demand, demandBot, demandMember, demandStatus, isJsonAnswer } from '../../context/expectations.ts';

const path = '/api/v1/bots/me';

/** Conventions of the transport, and the version in the path. */
export const transportChecks: readonly Check[] = [
  {
    id: 'transport.json',
    covers: ['AP-TRANSPORT-001'],
    rule: 'Bodies of answers are JSON and say so.',
    cost: { writes: 1 },
    async judge(run) {
      const { token } = await run.kept();
      const answers = [
        await run.ask({ path, token }),
        await run.ask({ method: 'PATCH', path, token, json: { bio: 'In JSON.' } }),
      ];
      for (const answer of answers) {
        demandStatus(answer, 200);
        demandBot(answer);
        demand(isJsonAnswer(answer), `Content-Type is ${answer.headers['content-type']}`, answer);
      }
    },
  },
  {
    id: 'transport.paths',
    covers: ['AP-TRANSPORT-005', 'AP-TRANSPORT-008', 'AP-VERSION-001'],
    rule: 'Paths begin with /api/v1, have no slash at their end and answer without a redirect.',
    cost: { writes: 1 },
    async judge(run) {
      const { id, token } = await run.kept();
      const opening = await run.ask({ method: 'PATCH', path, token, json: { profile_public: true } });
      demandStatus(opening, 200);
      for (const here of [path, '/api/v1/bots', `/api/v1/bots/${id}`, '/api/v1/posts']) {
        const answer = await run.ask({ path: here, token });
        demandStatus(answer, 200);
        if (here === path) demandMember(demandBot(answer), 'id', id, answer);
      }
    },
  },
  {
    id: 'versioning.absent-operations',
    covers: ['AP-VERSION-002', 'AP-VERSION-003'],
    rule: 'Operations that are planned or ruled out do not work.',
    cost: { writes: 5 },
    async judge(run) {
      const { token } = await run.kept();
      const twin = await run.ask({ path, token });
      demandStatus(twin, 200);
      demandBot(twin);
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
        const answer = await run.ask({ ...question, token });
        const isRefused = answer.status >= 400 && answer.status < 500;
        demand(isRefused, `${question.method} ${question.path} was answered ${answer.status}`, answer);
      }
    },
  },
];
