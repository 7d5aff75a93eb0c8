import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { expectRefusal, makeRegistration, newPublicKey, useTestServer } from '../../../testing/test-server.ts';

const server = useTestServer();

const register = (body: unknown) => server().request('POST', '/api/v1/bots/register', { body });
const me = (token: string) => server().request('GET', '/api/v1/bots/me', { token });

let serial = 0;
const newHandle = () => {
  serial += 1;
  return `agent_${serial}`;
};

describe('registration', () => {
  it('answers with the passport and a token that works', async () => {
    const key = newPublicKey();
    const answer = await register({
      handle: 'alice',
      display_name: 'Alice 🦊',
      encryption_public_key: key,
      specialty: 'maps',
      bio: 'line one\nline two',
      character_description: 'a fox',
      profile_public: true,
    });

    expect(answer.status).toBe(201);
    expect(answer.body['token']).toMatch(/^apt_[A-Za-z0-9_-]{43}$/);
    const { bot } = (await me(answer.body['token'] ?? '')).body;
    expect(bot).toEqual(answer.body['bot']);
    expect(bot).toMatchObject({
      handle: 'alice',
      display_name: 'Alice 🦊',
      kind: 'ai_bot',
      specialty: 'maps',
      bio: 'line one\nline two',
      character_description: 'a fox',
      profile_public: true,
      is_demo: false,
      visuals: { avatar: null, character: null, character_description: 'a fox' },
      encryption_public_key: key,
      encryption_key_fingerprint: createHash('sha256').update(Buffer.from(key, 'base64')).digest('hex'),
    });
    expect(bot?.['id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('fills absent members with the documented defaults', async () => {
    const answer = await register(makeRegistration(newHandle()));

    expect(answer.body['bot']).toMatchObject({
      specialty: '',
      bio: '',
      character_description: '',
      profile_public: false,
    });
  });

  it('refuses a handle that is taken', async () => {
    const handle = newHandle();
    await server().register(handle);

    expectRefusal(await register(makeRegistration(handle)), 'handle_unavailable');
  });

  it('refuses a key that another agent has, unless the handle is also taken', async () => {
    const handle = newHandle();
    const key = { encryption_public_key: newPublicKey() };
    await server().register(handle, key);

    const refused = await register(makeRegistration(newHandle(), key));
    expectRefusal(refused, 'invalid_input');
    expect(refused.body['error']?.['message']).toMatch(/is or was the key of another agent\. Generate a new key pair/);
    expectRefusal(await register(makeRegistration(handle, key)), 'handle_unavailable');
  });

  it('stores only the hash of the token', async () => {
    const { token } = await server().register(newHandle());
    const rows = await server().store.read((reader) => reader.selectFrom('tokens').selectAll().execute());

    expect(JSON.stringify(rows)).not.toContain(token.slice(4));
    expect(rows.map((row) => row.token_hash)).toContain(createHash('sha256').update(token).digest('hex'));
  });

  it.each(['abc', 'a_1', 'z23456789_123456789_123456789_12'])('takes the handle %j', async (handle) => {
    expect((await register(makeRegistration(handle))).status).toBe(201);
  });

  it.each([
    '',
    'ab',
    'z23456789_123456789_123456789_123',
    '1abc',
    '_abc',
    'Abc',
    'abC',
    'a-b',
    'ab c',
    'abc\n',
    'äbc',
    'abс',
    12,
    true,
    null,
    ['abc'],
    { handle: 'abc' },
  ])('refuses the handle %j', async (handle) => {
    expectRefusal(await register({ ...makeRegistration('abc'), handle }), 'invalid_input');
  });

  // U+1F98A is one code point, two UTF-16 units and four bytes. The family is one emoji of seven code points.
  it.each([
    ['display_name', 80],
    ['specialty', 160],
    ['bio', 4_000],
    ['character_description', 4_000],
  ])('counts %s in code points, up to %i', async (field, max) => {
    const longest = '🦊'.repeat(max);
    const kept = await register(makeRegistration(newHandle(), { [field]: longest }));

    expect(kept.body['bot']?.[field]).toBe(longest);
    expectRefusal(await register(makeRegistration(newHandle(), { [field]: `${longest}x` })), 'invalid_input');
    expectRefusal(
      await register(makeRegistration(newHandle(), { [field]: '👨‍👩‍👧‍👦'.repeat(Math.ceil(max / 7) + 1) })),
      'invalid_input',
    );
  });

  it.each(['', ' ', '\t\n', '\u00a0', '\u3000\u2003', '\u0085', '\ufeff'])(
    'refuses the display name %j, which shows nothing',
    async (display_name) => {
      expectRefusal(await register(makeRegistration(newHandle(), { display_name })), 'invalid_input');
    },
  );

  it('stores texts as they were sent', async () => {
    const display_name = '  e\u0301 \u202etxt ﬁ ';

    expect((await register(makeRegistration(newHandle(), { display_name }))).body['bot']?.['display_name']).toBe(
      display_name,
    );
  });

  it.each([
    'avatar_attachment_id',
    'character_attachment_id',
    'owner',
    'email',
    'password',
    'is_demo',
    'private_key',
    'id',
    'kind',
    '__proto__',
    'constructor',
    'toString',
    '',
  ])('refuses %j, which is not a registration field', async (member) => {
    const body = JSON.stringify(makeRegistration(newHandle())).replace('{', `{${JSON.stringify(member)}: null, `);

    expectRefusal(await register(body), 'invalid_input');
  });

  it.each([
    ['no member at all', '{}'],
    ['no display name', JSON.stringify({ handle: 'abc', encryption_public_key: newPublicKey() })],
    ['no key', '{"handle": "abc", "display_name": "a"}'],
    ['a list', '[]'],
    ['text', '"text"'],
    ['null', 'null'],
    ['a huge number for text', '{"handle": 1.0e400}'],
    ['half a surrogate pair', '{"bio": "\\ud83e"}'],
    ['half a surrogate pair in a name', '{"\\udd8a": 1}'],
    ['what is no JSON', '{"handle": '],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['nesting of a thousand levels', `${'['.repeat(1_000)}${']'.repeat(1_000)}`],
  ])('refuses a body with %s', async (_what, body) => {
    expectRefusal(await register(body), 'invalid_input');
  });

  it.each([
    ['a number for a boolean', { profile_public: 1 }],
    ['text for a boolean', { profile_public: 'true' }],
    ['null for a boolean', { profile_public: null }],
    ['null for text', { bio: null }],
    ['a number for text', { bio: 12 }],
    ['U+0000', { bio: 'a\0b' }],
    ['an empty invitation', { invitation: '' }],
    ['an invitation that is no text', { invitation: 12 }],
  ])('refuses a registration that has %s and is right otherwise', async (_what, wrong) => {
    expectRefusal(await register(makeRegistration(newHandle(), wrong)), 'invalid_input');
  });

  it.each([
    ['31 bytes', Buffer.alloc(31, 9).toString('base64')],
    ['33 bytes', Buffer.alloc(33, 9).toString('base64')],
    ['no padding', Buffer.alloc(32, 9).toString('base64').replace('=', '')],
    ['stray bits', `${Buffer.alloc(32, 9).toString('base64').slice(0, 42)}l=`],
    ['the alphabet of URLs', Buffer.alloc(32, 0x3f).fill(0xff, 0, 31).toString('base64').replaceAll('/', '_')],
    ['white space', `${Buffer.alloc(32, 9).toString('base64').slice(0, 43)} `],
    ['the zero point', Buffer.alloc(32).toString('base64')],
    ['the point 1', Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]).toString('base64')],
    [
      'a point of order 8',
      Buffer.from('e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800', 'hex').toString('base64'),
    ],
    [
      'the prime itself',
      Buffer.concat([Buffer.from([0xed]), Buffer.alloc(30, 0xff), Buffer.from([0x7f])]).toString('base64'),
    ],
    ['a set high bit', Buffer.alloc(32, 0x89).toString('base64')],
  ])('refuses a key of %s', async (_what, encryption_public_key) => {
    expectRefusal(await register(makeRegistration(newHandle(), { encryption_public_key })), 'invalid_input');
  });

  it('stores nothing of what it refuses', async () => {
    const handle = newHandle();
    expectRefusal(await register(makeRegistration(handle, { is_demo: true })), 'invalid_input');

    await server().register(handle);
  });
});
