import { describe, expect, expectTypeOf, it } from 'vitest';
import { makeTestClient } from '../../testing/client.ts';
import { makeTwoFriends, registerAgent } from '../../testing/friends.ts';
import { failureOf, testKeyPair, testPassport } from '../../testing/records.ts';
import { useReferenceServer } from '../../testing/reference-server.ts';
import { replyJson, serveScript } from '../../testing/scripted-server.ts';
import { fingerprint, formatFingerprint, generateKeyPair } from '../crypto/keys.ts';
import { type Untrusted, unfenced } from '../untrusted.ts';
import type { Contact } from './contact-and-message-types.ts';

const server = useReferenceServer();

describe('contacts on the reference server', () => {
  it('are requested, accepted, listed by both agents and blocked', async () => {
    const baseUrl = server.url;
    const alice = await registerAgent(baseUrl, 'alice');
    const bob = await registerAgent(baseUrl, 'bob');
    const { id } = await bob.bots.me();

    const asked = await alice.contacts.request(id).withResponse();
    expect([asked.response.status, asked.data.status]).toEqual([201, 'outgoing']);
    const again = await alice.contacts.request(id).withResponse();
    expect([again.response.status, again.data]).toEqual([200, asked.data]);

    const { contacts, next_before } = await bob.contacts.list();
    expect([contacts.length, next_before]).toEqual([1, null]);
    expect(contacts[0]).toMatchObject({ status: 'incoming', peer: { handle: 'alice' } });
    const { contact_id } = asked.data;
    expect(await failureOf(alice.contacts.accept(contact_id))).toMatchObject({ code: 'recipient_required' });
    expect(await bob.contacts.accept(contact_id)).toMatchObject({ contact_id, status: 'friends' });

    const seen: string[] = [];
    for await (const { peer, status } of alice.contacts.list()) seen.push(`${unfenced(peer.display_name)} ${status}`);
    expect(seen).toEqual(['bob friends']);
    expect(await alice.contacts.block(contact_id)).toMatchObject({ status: 'blocked' });
    expect(await failureOf(alice.contacts.request(id))).toMatchObject({ status: 403, code: 'contact_blocked' });
  });

  it('return the same fingerprints to both agents, and pin no key', async () => {
    const { alice, bob, handles } = await makeTwoFriends(server.url);

    const seenByAlice = await alice.contacts.checkKey(handles.bob);
    const seenByBob = await bob.contacts.checkKey(handles.alice);
    expect(seenByAlice).toMatchObject({ handle: handles.bob, pinned: 'none', pinnedFingerprint: null });
    expect(seenByAlice.readable).toBe(seenByBob.ownReadable);
    expect(seenByAlice.ownReadable).toBe(seenByBob.readable);
    expect((await alice.contacts.checkKey(handles.bob)).pinned).toBe('none');

    await alice.messages.send(handles.bob, 'Hello');
    expect(await alice.contacts.checkKey(handles.bob)).toMatchObject({
      pinned: 'same',
      pinnedFingerprint: seenByAlice.fingerprint,
    });
    expect(await failureOf(alice.contacts.checkKey('nobody'))).toMatchObject({ code: 'contact_not_accepted' });
  });
});

const peerKey = generateKeyPair().publicKey;
const contact = {
  contact_id: '01931f6e-0000-7000-8000-0000000000aa',
  status: 'friends',
  peer: {
    id: '01931f6e-0000-7000-8000-000000000002',
    handle: 'bob',
    display_name: 'Bob',
    encryption_public_key: peerKey,
    encryption_key_fingerprint: fingerprint(peerKey),
  },
  created_at: testPassport.created_at,
  updated_at: testPassport.created_at,
};

describe('trusting a key', () => {
  it('accepts the fingerprint that a person has sent, and no other', async () => {
    const server = await serveScript(replyJson(200, { contacts: [contact], next_before: null }));
    const platform = makeTestClient(server.url);

    const refused = await failureOf(platform.contacts.trustKey('bob', fingerprint(testKeyPair.publicKey)));
    expect(refused).toMatchObject({ code: 'invalid_option' });
    expect(String(refused)).toContain(formatFingerprint(fingerprint(peerKey)));
    expect(
      await platform.contacts.trustKey('bob', formatFingerprint(fingerprint(peerKey)).toUpperCase()),
    ).toMatchObject({
      bot_id: contact.peer.id,
      handle: 'bob',
      public_key: peerKey,
    });
  });

  it.each(['', '8f43', fingerprint(peerKey).slice(1)])('refuses a part of the fingerprint: "%s"', async (part) => {
    const server = await serveScript(replyJson(200, { contacts: [contact], next_before: null }));

    expect(await failureOf(makeTestClient(server.url).contacts.trustKey('bob', part))).toMatchObject({
      code: 'invalid_option',
    });
  });
});

it('calls for an agent that is not a contact are refused as if it had not accepted yet', async () => {
  const server = await serveScript(replyJson(200, { contacts: [contact], next_before: null }));
  const platform = makeTestClient(server.url);
  const refused = {
    name: 'ApiError',
    code: 'contact_not_accepted',
    status: 403,
    retryable: false,
    message: expect.stringMatching(/^There is no contact with "carol"\. Send a request with contacts\.request\(\)/),
  };

  expect(await failureOf(platform.messages.send('carol', 'Hello'))).toMatchObject(refused);
  expect(await failureOf(platform.messages.list('Carol'))).toMatchObject(refused);
  expect(await failureOf(platform.contacts.checkKey('carol'))).toMatchObject(refused);
  expect(await platform.messages.pending()).toEqual([]);
});

describe('a list of contacts', () => {
  it('is read from page to page, up to a limit', async () => {
    const other = { ...contact, contact_id: '01931f6e-0000-7000-8000-0000000000bb' };
    const server = await serveScript(
      replyJson(200, { contacts: [contact], next_before: contact.contact_id }),
      replyJson(200, { contacts: [other], next_before: null }),
    );

    const ids: string[] = [];
    for await (const { contact_id } of makeTestClient(server.url).contacts.list()) ids.push(contact_id);
    expect(ids).toEqual([contact.contact_id, other.contact_id]);
    expect(server.received.map(({ path }) => path)).toEqual([
      '/api/v1/contacts',
      `/api/v1/contacts?before=${contact.contact_id}`,
    ]);

    const circling = await serveScript(replyJson(200, { contacts: [contact], next_before: contact.contact_id }));
    const reading = (async () => {
      for await (const _ of makeTestClient(circling.url).contacts.list()) ids.push('x');
    })();
    expect(await failureOf(reading)).toMatchObject({ code: 'unreadable_answer' });
  });

  it('has display names of the type Untrusted', () => {
    expectTypeOf<Contact['peer']['display_name']>().toEqualTypeOf<Untrusted>();
    expectTypeOf<Contact['peer']['handle']>().toEqualTypeOf<string>();
  });
});
