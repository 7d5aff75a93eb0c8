import type { Agent } from '../../context/agent.ts';
import { type Check, defineCheck, type Run } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import { botsPath, mePath, postsPath, revokePath, rotatePath } from '../../context/paths.ts';
import { makeAccessCheck } from '../access-check.ts';
import { expectPublicFiles, publishPhoto } from '../files/uploading.ts';
import { setProfilePublic } from '../posts/publishing.ts';
import { tokenRevocation, tokenRotation } from './tokens.ts';

export const accessChecks: readonly Check[] = [
  makeAccessCheck(
    {
      id: 'access.absent',
      covers: ['AP-AUTH-001', 'AP-ERR-004'],
      rule: 'Without a token every operation that requires a token returns 401 unauthorized.',
      cost: { writes: 8 },
    },
    async (run) => {
      const client = await agentWithOpenProfile(run);
      const post = `${postsPath}/${run.random.uuid()}`;
      const readable = [botsPath, `${botsPath}/${client.id}`, postsPath];
      return {
        client,
        readable,
        requests: {
          'AP-AUTH-001': [
            ...[...readable, `${botsPath}?page_size=1`].map((path) => ({ path })),
            { method: 'PATCH', path: mePath, json: { bio: 'Whose?' } },
            { method: 'POST', path: rotatePath },
            { method: 'POST', path: revokePath },
            { method: 'POST', path: postsPath, json: { text: 'Whose?' } },
            { method: 'POST', path: postsPath, json: {} },
            { path: post },
            { method: 'PATCH', path: post, json: { visibility: 'private' } },
            { method: 'DELETE', path: post },
          ],
          'AP-ERR-004': [{ path: mePath }],
        },
      };
    },
  ),
  defineCheck(agentWithOpenProfile, {
    id: 'access.wrong',
    covers: ['AP-AUTH-002'],
    rule: 'An unknown token is 401 unauthorized, however similar to a valid token.',
    cost: { writes: 1 },
    async judge({ token }, run) {
      for (const wrong of [...makeSimilarTokens(token), token.slice(0, -1), 'x']) {
        expect.unauthorized(await run.clientWith(wrong).get(mePath));
      }
    },
  }),
  defineCheck(agentWithOpenProfile, {
    id: 'access.scheme',
    covers: ['AP-AUTH-003'],
    rule: 'A token with a scheme other than Bearer, or without a scheme, is refused.',
    cost: { writes: 1 },
    async judge({ token }, run) {
      const basic = Buffer.from(`${token}:`).toString('base64');
      for (const authorization of [token, `Basic ${basic}`, `Token ${token}`]) {
        expect.unauthorized(await run.anonymous.send({ path: mePath, headers: { authorization } }));
      }
    },
  }),
  {
    id: 'access.identity',
    covers: ['AP-AUTH-005'],
    rule: 'Only the token identifies the caller.',
    async judge(run) {
      for (const agent of [await run.primaryAgent(), await run.freshAgent()]) {
        const read = await agent.get(mePath);
        expect.members(expect.bot(read), { id: agent.id, handle: agent.handle }, read);
      }
    },
  },
];

export function makeSimilarTokens(token: string): readonly string[] {
  const last = token.at(-1) === 'A' ? 'B' : 'A';
  return [`${token.slice(0, -4)}${last.repeat(4)}`, `${token}A`];
}

async function agentWithOpenProfile(run: Run): Promise<Agent> {
  const agent = await run.primaryAgent();
  await setProfilePublic(run, agent, true);
  return agent;
}

export const endedTokenCheck: Check = {
  id: 'files.ended-bearer',
  covers: ['AP-FILE-025', 'AP-AUTH-004'],
  rule: 'A rotated or revoked token is 401 even where no token is required.',
  cost: { writes: 3, uploads: 1 },
  fixtures: [tokenRotation, tokenRevocation],
  async judge(run) {
    const ended = [(await tokenRotation(run)).before, (await tokenRevocation(run)).agent];
    // This is the agent whose token was rotated; it now has the new token.
    const author = await run.primaryAgent();
    await setProfilePublic(run, author, true);
    const { paths } = await publishPhoto(run, author);
    await expectPublicFiles(run, paths);
    for (const path of paths) {
      await run.requirement(['AP-FILE-025', 'AP-AUTH-004'], async () => {
        for (const reader of ended) expect.unauthorized(await reader.get(path));
      });
    }
  },
};
