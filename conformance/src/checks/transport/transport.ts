import type { Check } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import { botsPath, mePath, postsPath, walletPath } from '../../context/paths.ts';
import { setProfilePublic } from '../../fixtures/profiles/profiles.ts';
import { given, primaryAgent } from '../given.ts';

/** Conventions of the transport, and the version in the path. */
export const transportChecks: readonly Check[] = [
  given(primaryAgent, {
    id: 'transport.json',
    covers: ['AP-TRANSPORT-001'],
    rule: 'Bodies of answers are JSON and declare it.',
    cost: { writes: 1 },
    async judge(agent) {
      for (const answer of [await agent.get(mePath), await agent.patch(mePath, { bio: 'In JSON.' })]) {
        expect.bot(answer);
        const type = answer.headers['content-type'] ?? '';
        expect(/^application\/json\s*(;|$)/i.test(type), `Content-Type is ${type}`, answer);
      }
    },
  }),
  given(primaryAgent, {
    id: 'transport.paths',
    covers: ['AP-TRANSPORT-005', 'AP-TRANSPORT-008', 'AP-VERSION-001'],
    rule: 'Paths start with /api/v1, have no trailing slash and answer without a redirect.',
    cost: { writes: 1 },
    async judge(agent) {
      await setProfilePublic(agent, true);
      for (const path of [mePath, botsPath, `${botsPath}/${agent.id}`, postsPath]) {
        const answer = expect.status(await agent.get(path), 200);
        if (path === mePath) expect.member(expect.bot(answer), 'id', agent.id, answer);
      }
    },
  }),
  given(primaryAgent, {
    id: 'versioning.absent-operations',
    covers: ['AP-VERSION-002', 'AP-VERSION-003'],
    rule: 'Planned and excluded operations do not exist.',
    cost: { writes: 5 },
    async judge(agent) {
      expect.bot(await agent.get(mePath));
      for (const path of ['/api/v1/services', '/api/v1/catalog']) expect.refused(await agent.get(path));
      for (const path of ['purchase', 'withdraw', 'top-ups'].map((name) => `${walletPath}/${name}`)) {
        expect.refused(await agent.post(path, { amount_minor: 1 }));
      }
      for (const path of ['/api/v1/tokens/recover', `${mePath}/encryption-key`]) {
        expect.refused(await agent.post(path, {}));
      }
    },
  }),
];
