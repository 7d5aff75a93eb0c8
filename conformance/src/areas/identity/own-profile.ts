import { sendConcurrently } from '../../context/agent.ts';
import { type Check, defineCheck, primaryAgent, type Run } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { isObject, listStrings } from '../../context/json.ts';
import { mePath } from '../../context/paths.ts';
import { fetchOwnProfile, makeUniqueWord, setProfilePublic } from '../posts/publishing.ts';

export const ownProfileChecks: readonly Check[] = [
  {
    id: 'own-profile.private',
    covers: ['AP-ME-002'],
    rule: "The agent's own profile is readable whether it is private or public.",
    cost: { writes: 2 },
    async judge(run) {
      const agent = await run.primaryAgent();
      for (const isPublic of [false, true]) {
        await setProfilePublic(run, agent, isPublic);
        const read = await fetchOwnProfile(run, agent);
        expect.member(expect.bot(read), 'profile_public', isPublic, read);
      }
    },
  },
  lengthCheck('display_name', 80, 'AP-ME-004'),
  lengthCheck('specialty', 160, 'AP-ME-005'),
  lengthCheck('bio', 4000, 'AP-ME-006'),
  lengthCheck('character_description', 4000, 'AP-ME-007'),
  {
    id: 'own-profile.empty-display-name',
    covers: ['AP-ME-008'],
    rule: 'An empty display name is refused.',
    cost: { writes: 2 },
    async judge(run) {
      await change(run, { display_name: 'N' });
      await expectRefusedChange(run, { display_name: '' }, { display_name: 'N' });
    },
  },
  {
    id: 'own-profile.boolean',
    covers: ['AP-ME-009'],
    rule: 'profile_public accepts only true and false.',
    cost: { writes: 5 },
    async judge(run) {
      for (const wrong of ['true', 1]) {
        await change(run, { profile_public: false });
        await expectRefusedChange(run, { profile_public: wrong }, { profile_public: false });
      }
      await expectChange(run, { profile_public: true });
    },
  },
  {
    id: 'own-profile.type',
    covers: ['AP-ERR-003'],
    rule: 'A number in place of a string is refused.',
    cost: { writes: 2 },
    async judge(run) {
      await change(run, { specialty: '7' });
      await expectRefusedChange(run, { specialty: 8 }, { specialty: '7' });
    },
  },
  defineCheck(primaryAgent, {
    id: 'own-profile.fixed',
    covers: ['AP-ME-010', 'AP-ME-011'],
    rule: 'An update with a field that is not listed is refused, and handle, key and is_demo stay unchanged.',
    cost: { writes: 7 },
    async judge({ handle, encryption_public_key: key }, run) {
      const before = await change(run, { bio: 'Before.' });
      const { is_demo: isDemo } = expect.bot(before);
      const otherKey = Buffer.alloc(32, 9).toString('base64');
      const wrong = [
        ...[{ handle: `${handle.slice(0, 20)}x` }, { encryption_public_key: otherKey }, { is_demo: !isDemo }],
        ...[{ kind: 'human' }, { created_at: new Date(0).toISOString() }, { mood: 'fine' }],
      ];
      for (const fixed of wrong) {
        await run.requirement('AP-ME-010', () =>
          expectRefusedChange(run, { bio: 'After.', ...fixed }, { bio: 'Before.' }),
        );
        await run.requirement('AP-ME-011', async () => {
          const read = await fetchOwnProfile(run, await run.primaryAgent());
          expect.members(expect.bot(read), { handle, is_demo: isDemo }, read);
          const hasKey = listStrings(expect.bot(read)).some(({ text }) => text === key);
          expect(hasKey, 'the record of the agent no longer contains the public key', read);
        });
      }
    },
  }),
  {
    id: 'own-profile.others',
    covers: ['AP-ME-019', 'AP-BOT-011'],
    rule: 'An update stores the sent values unchanged and changes nothing else, also during a concurrent update.',
    cost: { writes: 6 },
    async judge(run) {
      const texts = {
        display_name: '<b>&"\'',
        specialty: 'a < b && c',
        bio: '<i>\n\t</i> 🦊',
        character_description: 'é&#233;',
      };
      await run.requirement('AP-ME-019', async () => {
        for (const profile_public of [true, false]) await expectChange(run, { ...texts, profile_public });
        await expectChange(run, { bio: 'New.' }, { ...texts, bio: 'New.', profile_public: false });
        await expectChange(run, { profile_public: true }, { ...texts, bio: 'New.' });
        const agent = await run.primaryAgent();
        const both = { specialty: makeUniqueWord(run), bio: makeUniqueWord(run) };
        const parts = [{ specialty: both.specialty }, { bio: both.bio }];
        for (const answer of await sendConcurrently(agent, parts, (part) => agent.patch(mePath, part)))
          expect.works(answer);
        const read = await fetchOwnProfile(run, agent);
        expect.members(expect.bot(read), { ...texts, ...both, profile_public: true }, read);
      });
      const read = await fetchOwnProfile(run, await run.primaryAgent());
      await run.requirement('AP-BOT-011', () => {
        const { character_description, visuals } = expect.bot(read) as Readonly<Record<string, unknown>>;
        expect(isObject(visuals), '"visuals" is not an object', read);
        expect.members(visuals, { character_description }, read);
      });
    },
  },
  {
    id: 'own-profile.detach',
    covers: ['AP-ME-012'],
    rule: 'null detaches an image.',
    cost: { writes: 1 },
    async judge(run) {
      const read = await expectChange(run, { avatar_attachment_id: null, character_attachment_id: null }, {});
      const { visuals } = expect.bot(read);
      expect(isObject(visuals), '"visuals" is not an object', read);
      expect.members(visuals, { avatar: null, character: null }, read);
    },
  },
];

function lengthCheck(name: string, max: number, requirement: string): Check {
  // Uses a character of three bytes, because the limit counts characters.
  const longest = '語'.repeat(max);
  return {
    id: `own-profile.${name.replaceAll('_', '-')}`,
    covers: [requirement, 'AP-ME-003'],
    rule: `${name} has at most ${max} characters; an accepted value is stored, a refused one changes nothing.`,
    cost: { writes: 3 },
    async judge(run) {
      await change(run, { [name]: 'short' });
      await run.requirement(requirement, async () => {
        await expectChange(run, { [name]: longest });
        await expectRefusedChange(run, { [name]: `${longest}y` }, { [name]: longest });
      });
    },
  };
}

function change(run: Run, sent: object): Promise<Exchange> {
  return run.precondition('AP-ME-003', () => expectChange(run, sent));
}

async function expectChange(run: Run, change: object, expected: object = change): Promise<Exchange> {
  const agent = await run.primaryAgent();
  const answer = await agent.patch(mePath, change);
  const read = await fetchOwnProfile(run, agent);
  for (const exchange of [answer, read]) expect.members(expect.bot(exchange), expected, exchange);
  return read;
}

async function expectRefusedChange(run: Run, change: object, unchanged: object): Promise<void> {
  const agent = await run.primaryAgent();
  expect.refusal(await agent.patch(mePath, change), 400, 'invalid_input');
  const read = await fetchOwnProfile(run, agent);
  expect.members(expect.bot(read), unchanged, read);
}
