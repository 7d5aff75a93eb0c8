import type { Check } from '../../context/check.ts';
import { expect, expectBot, expectMember, expectRefusal, expectStatus } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { isObject, textsOf } from '../../context/json.ts';
import type { Run } from '../../context/run.ts';

const path = '/api/v1/bots/me';

/** What an agent may change of itself, and what not. */
export const ownProfileChecks: readonly Check[] = [
  {
    id: 'own-profile.private',
    covers: ['AP-ME-002'],
    rule: 'The own profile is readable while closed and while open.',
    cost: { writes: 2 },
    async judge(run) {
      for (const isPublic of [false, true]) {
        await changes(run, { profile_public: isPublic });
        const read = await run.send({ path, token: (await run.primaryAgent()).token });
        expectStatus(read, 200);
        expectMember(expectBot(read), 'profile_public', isPublic, read);
      }
    },
  },
  text('display_name', 80, 'AP-ME-004'),
  text('specialty', 160, 'AP-ME-005'),
  text('bio', 4000, 'AP-ME-006'),
  text('character_description', 4000, 'AP-ME-007'),
  {
    id: 'own-profile.empty-display-name',
    covers: ['AP-ME-008'],
    rule: 'An empty display name is refused.',
    cost: { writes: 2 },
    async judge(run) {
      await changes(run, { display_name: 'N' });
      await refuses(run, { display_name: '' }, { display_name: 'N' });
    },
  },
  {
    id: 'own-profile.boolean',
    covers: ['AP-ME-009', 'AP-ERR-003'],
    rule: 'profile_public accepts only true and false.',
    cost: { writes: 5 },
    async judge(run) {
      for (const wrong of ['true', 1]) {
        await changes(run, { profile_public: false });
        await refuses(run, { profile_public: wrong }, { profile_public: false });
      }
      await changes(run, { profile_public: true });
    },
  },
  {
    id: 'own-profile.type',
    covers: ['AP-ERR-003'],
    rule: 'A number in place of a string is refused.',
    cost: { writes: 2 },
    async judge(run) {
      await changes(run, { specialty: '7' });
      await refuses(run, { specialty: 8 }, { specialty: '7' });
    },
  },
  {
    id: 'own-profile.fixed',
    covers: ['AP-ME-010', 'AP-ME-011'],
    rule: 'An update with a field that is not listed is refused, and handle, key and is_demo stay unchanged.',
    cost: { writes: 4 },
    async judge(run) {
      const { handle, encryption_public_key: key } = await run.primaryAgent();
      const before = await changes(run, { bio: 'Before.' });
      const { is_demo: isDemo } = expectBot(before);
      const otherKey = Buffer.alloc(32, 9).toString('base64');
      const wrong = [{ handle: `${handle.slice(0, 20)}x` }, { encryption_public_key: otherKey }, { is_demo: !isDemo }];
      for (const change of wrong) {
        const read = await refuses(run, { bio: 'After.', ...change }, { bio: 'Before.', handle, is_demo: isDemo });
        const isKept = textsOf(expectBot(read)).some(({ text }) => text === key);
        expect(isKept, 'the profile no longer contains the public key', read);
      }
    },
  },
  {
    id: 'own-profile.detach',
    covers: ['AP-ME-012'],
    rule: 'null detaches an image.',
    cost: { writes: 1 },
    async judge(run) {
      const read = await changes(run, { avatar_attachment_id: null, character_attachment_id: null }, {});
      const { visuals } = expectBot(read);
      expect(isObject(visuals), '"visuals" is not an object', read);
      expectMember(visuals, 'avatar', null, read);
      expectMember(visuals, 'character', null, read);
    },
  },
];

function text(name: string, max: number, requirement: string): Check {
  const longest = 'x'.repeat(max);
  return {
    id: `own-profile.${name.replaceAll('_', '-')}`,
    covers: [requirement, 'AP-ME-003'],
    rule: `${name} accepts ${max} characters and refuses ${max + 1}; accepted values are stored, refused values change nothing.`,
    cost: { writes: 3 },
    async judge(run) {
      await changes(run, { [name]: 'short' });
      await changes(run, { [name]: longest });
      await refuses(run, { [name]: `${longest}y` }, { [name]: longest });
    },
  };
}

/** A change that must work, seen in its answer and in the next reading. */
async function changes(run: Run, change: object, expected: object = change): Promise<Exchange> {
  const { token } = await run.primaryAgent();
  const answer = await run.send({ method: 'PATCH', path, token, json: change });
  const read = await run.send({ path, token });
  for (const exchange of [answer, read]) {
    expectStatus(exchange, 200);
    for (const [name, value] of Object.entries(expected)) expectMember(expectBot(exchange), name, value, exchange);
  }
  return read;
}

/** A change that must be refused as malformed, and must leave what was there. */
async function refuses(run: Run, change: object, left: object): Promise<Exchange> {
  const { token } = await run.primaryAgent();
  expectRefusal(await run.send({ method: 'PATCH', path, token, json: change }), 400, 'invalid_input');
  const read = await run.send({ path, token });
  expectStatus(read, 200);
  for (const [name, value] of Object.entries(left)) expectMember(expectBot(read), name, value, read);
  return read;
}
