import { type Check, defineCheck, primaryAgent } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import { isJsonType } from '../../context/journal.ts';
import { isObject } from '../../context/json.ts';
import { botsPath, mePath, postsPath, walletPath } from '../../context/paths.ts';
import { rejectedTextUpload } from '../files/uploads.ts';
import { postPath, publishPost, setProfilePublic } from '../posts/publishing.ts';

/** These checks run last, because they judge all answers of the run. */
export const answerChecks: readonly Check[] = [
  defineCheck(rejectedTextUpload, {
    id: 'transport.declared',
    covers: ['AP-TRANSPORT-001'],
    rule: 'Every JSON answer of the run declares that it is JSON.',
    async judge(_, { journal }) {
      const [first] = journal.undeclared;
      expect(first === undefined, `Content-Type is ${first?.headers['content-type']}`, first);
    },
  }),
  defineCheck(primaryAgent, {
    id: 'transport.crashes',
    covers: ['AP-ERR-002'],
    rule: 'No request of the run is answered with 500: a malformed one is 400.',
    async judge(agent, { journal }) {
      expect.bot(await agent.get(mePath));
      const [first] = journal.crashes;
      expect(first === undefined, `${first?.request.method} ${first?.request.path} is answered with 500`, first);
    },
  }),
  defineCheck(primaryAgent, {
    id: 'transport.tokens',
    covers: ['AP-TOKEN-001'],
    rule: 'No answer and no frame of the run contains the token of its request.',
    async judge(agent, { journal }) {
      expect.bot(await agent.get(mePath));
      const [first] = journal.leaks;
      expect(first === undefined, 'the token is in the answer', first);
    },
  }),
  defineCheck(primaryAgent, {
    id: 'transport.forms',
    covers: ['AP-TRANSPORT-002'],
    rule: 'Every record in the answers of the run has the members and formats that the specification states.',
    async judge(agent, run) {
      expect.bot(await agent.get(mePath));
      for (const { requirement, message, exchange } of run.journal.formFaults.values())
        await run.requirement(requirement, () => expect(false, message, exchange), { isPart: true });
    },
  }),
];

export const transportChecks: readonly Check[] = [
  defineCheck(primaryAgent, {
    id: 'transport.json',
    covers: ['AP-TRANSPORT-001'],
    rule: 'Bodies of answers are JSON and declare it.',
    cost: { writes: 3 },
    async judge(agent, run) {
      const answers = [await agent.get(mePath), await agent.patch(mePath, { bio: 'In JSON.' })];
      for (const answer of answers) expect.bot(answer);
      const refusals = [await agent.patch(mePath, { bio: 7 }), await agent.get(`${botsPath}/${run.random.uuid()}`)];
      const created = await agent.post(postsPath, { text: 'In JSON.' });
      // Of the refusals, only those in JSON are judged, because a proxy may send other ones.
      for (const answer of [...answers, created, ...refusals.filter(({ json }) => isObject(json))]) {
        const type = answer.headers['content-type'] ?? '';
        expect(isJsonType(type), `Content-Type is ${type}`, answer);
      }
    },
  }),
  defineCheck(primaryAgent, {
    id: 'transport.paths',
    covers: ['AP-TRANSPORT-005', 'AP-TRANSPORT-008', 'AP-VERSION-001'],
    rule: 'Paths start with /api/v1, have no trailing slash and answer without a redirect.',
    cost: { writes: 1 },
    async judge(agent, run) {
      await setProfilePublic(run, agent, true);
      for (const path of [mePath, botsPath, `${botsPath}/${agent.id}`, postsPath]) {
        const answer = await agent.get(path);
        await run.requirement('AP-TRANSPORT-008', () => {
          const isRedirect = answer.status >= 300 && answer.status < 400;
          expect(!isRedirect, `GET ${path} is redirected`, answer);
        });
        const isThere = (await agent.get(`${path}/`)).status === 200;
        await run.requirement('AP-TRANSPORT-005', () =>
          expect(answer.status === 200 || !isThere, `GET ${path} works only with a trailing slash`, answer),
        );
        await run.requirement('AP-VERSION-001', () => {
          if (isThere && answer.status !== 200) return;
          expect.status(answer, 200);
        });
      }
    },
  }),
  defineCheck(primaryAgent, {
    id: 'versioning.absent-operations',
    covers: ['AP-VERSION-002', 'AP-VERSION-003'],
    rule: 'Planned and excluded operations do not exist, nor do other methods for those that do.',
    cost: { writes: 9 },
    async judge(agent, run) {
      expect.works(await agent.get(mePath));
      await run.requirement('AP-VERSION-002', async () => {
        for (const path of ['/api/v1/services', '/api/v1/catalog']) expect.refused(await agent.get(path));
        const post = postPath(await publishPost(run, agent, { text: 'Not to be replaced.' }));
        expect.refused(await agent.send({ method: 'PUT', path: post, json: { text: 'Replaced.' } }));
        for (const method of ['PUT', 'POST'] as const)
          expect.refused(await agent.send({ method, path: mePath, json: { bio: 'Replaced.' } }));
      });
      await run.requirement('AP-VERSION-003', async () => {
        for (const path of ['purchase', 'withdraw', 'top-ups'].map((name) => `${walletPath}/${name}`)) {
          expect.refused(await agent.post(path, { amount_minor: 1 }));
        }
        for (const path of ['/api/v1/tokens/recover', `${mePath}/encryption-key`]) {
          expect.refused(await agent.post(path, {}));
        }
      });
    },
  }),
];
