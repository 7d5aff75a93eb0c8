import { type Agent, sendConcurrently } from '../../context/agent.ts';
import { type Check, defineCheck, defineFixture, primaryAgent, type Run } from '../../context/check.ts';
import { expect, SkippedError } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { listStrings } from '../../context/json.ts';
import { mePath, revokePath, rotatePath } from '../../context/paths.ts';
import * as contacts from '../contacts/contacting.ts';
import * as events from '../events/listening.ts';
import { changeProfile, makeUniqueWord } from '../posts/publishing.ts';

export const tokenRotation = defineFixture({ writes: 2 }, async (run) => {
  const before = await run.primaryAgent();
  const profile = await changeProfile(run, before, { profile_public: true, specialty: makeUniqueWord(run) });
  const contactsBefore = await contacts.readContacts(before);
  const rotated = await rotateToken(run);
  const agent = await run.primaryAgent();
  const [after, contactsAfter] = [await agent.get(mePath), await contacts.readContacts(agent)];
  return { ...rotated, profile, contactsBefore, after, contactsAfter };
});

const passport = ['handle', 'display_name', 'specialty', 'bio', 'character_description', 'profile_public'];

/** `connection` contains how the open connection ended, or the error if none could be opened. */
export const tokenRevocation = defineFixture({ writes: 2, sockets: 1 }, async (run) => {
  const agent = await run.freshAgent();
  expect.works(await agent.get(mePath));
  // Makes the profile private while the token is valid, so that searches in other checks do not find this agent.
  await agent.patch(mePath, { profile_public: false });
  // If no connection can be opened, the checks still judge the answer to the revocation.
  const connection = await events.listen(run, agent).catch((error: unknown) => ({ error }));
  const answer = await agent.post(revokePath);
  if ('error' in connection) return { agent, answer, connection };
  const end = await connection.until(() => connection.ending, run.stream.eventTimeoutMs);
  return { agent, answer, connection: { end, exchange: connection.exchange } };
});

/** The last of these checks revokes the fresh agent's token. */
export const tokenChecks: readonly Check[] = [
  defineCheck(primaryAgent, {
    id: 'tokens.secret',
    covers: ['AP-TOKEN-001'],
    rule: "Reading and changing the agent's own profile never returns the token.",
    cost: { writes: 1 },
    async judge(agent) {
      for (const exchange of [await agent.get(mePath), await agent.patch(mePath, { bio: 'In secret.' })]) {
        expect.bot(exchange);
        expect(!exchange.text.includes(agent.token), 'the token is in the answer', exchange);
      }
    },
  }),
  {
    id: 'tokens.rotate',
    covers: ['AP-TOKEN-004', 'AP-TOKEN-005', 'AP-TOKEN-006'],
    rule: 'Rotation returns a new token, ends the old token immediately, and changes neither profile nor key.',
    fixtures: [tokenRotation],
    async judge(run) {
      const { before, profile, after, contactsBefore, contactsAfter } = await run.precondition('AP-TOKEN-004', () =>
        tokenRotation(run),
      );
      await run.requirement('AP-TOKEN-005', async () => expect.unauthorized(await before.get(mePath)));
      await run.requirement('AP-TOKEN-006', async () => {
        const stated = Object.entries(expect.bot(profile)).filter(([name]) => passport.includes(name));
        expect.members(expect.bot(after), { id: before.id, ...Object.fromEntries(stated) }, after);
        const hasKey = listStrings(expect.bot(after)).some(({ text }) => text === before.encryption_public_key);
        expect(hasKey, 'the record of the agent no longer contains the public key', after);
        const isFriend = (list: Exchange) => (id: string) => contacts.hasStatus(list, id, 'friends');
        const friends = contacts.contactIdsIn(contactsBefore).filter(isFriend(contactsBefore));
        expect(friends.every(isFriend(contactsAfter)), 'the friendship is missing after the rotation', contactsAfter);
      });
    },
  },
  {
    id: 'tokens.rotate-twice',
    covers: ['AP-TOKEN-011'],
    rule: 'A token is rotated once, even by concurrent requests.',
    cost: { writes: 2 },
    async judge(run) {
      const before = await run.primaryAgent();
      const answers = await sendConcurrently(before, [1, 2], () => before.post(rotatePath));
      let last = before.token;
      for (const answer of answers) {
        run.redaction.hideTokensOf(answer);
        const token = answer.status === 200 ? await findToken(run, answer, last) : undefined;
        if (token !== undefined) {
          run.keepToken(token);
          last = token;
        }
      }
      const granted = answers.filter(({ status }) => status === 200);
      expect(granted.length === 1, `${granted.length} of two rotations at the same time succeed`, answers[0]);
    },
  },
  {
    id: 'tokens.rotate-unread',
    covers: ['AP-TOKEN-007'],
    rule: 'Rotation ignores its body.',
    cost: { writes: 1 },
    async judge(run) {
      const sent = { body: '{"not json', headers: { 'content-type': 'application/json' } };
      await rotateToken(run, sent, 'AP-TOKEN-007');
    },
  },
  defineCheck(primaryAgent, {
    id: 'tokens.revoke',
    covers: ['AP-TOKEN-008', 'AP-TOKEN-009'],
    rule: 'Revocation ends only the token of the request.',
    cost: { writes: 2 },
    fixtures: [tokenRevocation],
    async judge(bob, run) {
      // `bob` has a token from before the revocation, which must stay valid.
      const { agent, answer } = await tokenRevocation(run);
      const isRevoked = await run.requirement('AP-TOKEN-008', async () => {
        expect.status(answer, 200);
        expect.unauthorized(await agent.get(mePath));
        for (const path of [rotatePath, revokePath]) expect.unauthorized(await agent.post(path));
        return true;
      });
      await run.requirement('AP-TOKEN-009', async () => {
        if (isRevoked !== true) throw new SkippedError('the token is still valid after its revocation');
        expect.status(await bob.get(mePath), 200);
      });
    },
  }),
];

export async function rotateToken(
  run: Run,
  sent: { readonly body?: string; readonly headers?: Record<string, string> } = {},
  requirement = 'AP-TOKEN-004',
): Promise<{ readonly before: Agent; readonly answer: Exchange }> {
  const before = await run.primaryAgent();
  expect.works(await before.get(mePath));
  const answer = await before.send({ method: 'POST', path: rotatePath, ...sent });
  run.redaction.hideTokensOf(answer);
  const token = answer.status === 200 ? await findToken(run, answer, before.token) : undefined;
  if (token !== undefined) run.keepToken(token);
  return await run.precondition(requirement, () => {
    expect.status(answer, 200);
    expect(token !== undefined, 'no string in the answer is a valid token', answer);
    return { before, answer };
  });
}

/** Tries every string of the answer, because the specification does not name the member. */
export async function findToken(run: Run, answer: Exchange, old: string): Promise<string | undefined> {
  const texts = listStrings(answer.json).filter(({ text }) => text !== old && /^[\x21-\x7e]{8,}$/.test(text));
  const likelyFirst = texts.toSorted((a, b) => Number(b.path.endsWith('token')) - Number(a.path.endsWith('token')));
  for (const { text } of likelyFirst.slice(0, 4)) {
    if ((await run.clientWith(text).get(mePath)).status === 200) return text;
  }
  return undefined;
}
