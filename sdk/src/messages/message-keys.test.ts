import { randomUUID } from 'node:crypto';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { makeTestClient } from '../../testing/client.ts';
import { credentialFor, failureOf, testKeyPair, testPassport } from '../../testing/records.ts';
import { replyJson, serveScript } from '../../testing/scripted-server.ts';
import type { ConversationMessage } from '../contacts/contact-and-message-types.ts';
import { seal } from '../crypto/box.ts';
import { fingerprint, generateKeyPair } from '../crypto/keys.ts';
import { ApiError, KeyChangedError } from '../errors.ts';
import { memoryState } from '../state/memory-state.ts';
import { type Untrusted, unfenced } from '../untrusted.ts';

function textOf({ text }: { readonly text: Untrusted | null }): string | null {
  return text === null ? null : unfenced(text);
}

describe('a plain text', () => {
  it.each([
    ['too many characters', 'x'.repeat(8_001), 'plaintext_too_long'],
    ['too many bytes', '€'.repeat(5_001), 'plaintext_too_long'],
    ['half a pair', '\ud83d', 'invalid_text'],
  ])('with %s is neither kept nor sent', async (_, text, code) => {
    const server = await serveScript(replyJson(200, { contacts: [contact], next_before: null }));
    const platform = makeTestClient(server.url);

    expect(await failureOf(platform.messages.send('bob', text))).toMatchObject({ name: 'EnvelopeError', code });
    expect(await platform.messages.pending()).toEqual([]);
    expect(server.received.filter(({ method }) => method === 'POST')).toEqual([]);
  });
});

const bob = generateKeyPair();
const mallory = generateKeyPair();
const bobId = '01931f6e-0000-7000-8000-000000000002';
const peer = {
  id: bobId,
  handle: 'bob',
  display_name: 'Bob',
  encryption_public_key: bob.publicKey,
  encryption_key_fingerprint: fingerprint(bob.publicKey),
};
const contact = {
  contact_id: '01931f6e-0000-7000-8000-0000000000aa',
  status: 'friends',
  peer,
  created_at: testPassport.created_at,
  updated_at: testPassport.created_at,
};

function messageOf(change: object = {}) {
  return {
    id: '01931f6e-0000-7000-8000-0000000000cc',
    sender_id: bobId,
    recipient_id: testPassport.id,
    client_message_id: randomUUID(),
    ...seal({ text: 'Hello', recipientPublicKey: testKeyPair.publicKey, keyPair: bob }),
    created_at: testPassport.created_at,
    expires_at: testPassport.created_at,
    ...change,
  };
}

describe('the key of a friend', () => {
  const contacts = replyJson(200, { contacts: [contact], next_before: null });
  const changed = replyJson(200, {
    contacts: [{ ...contact, peer: { ...peer, encryption_public_key: mallory.publicKey } }],
    next_before: null,
  });

  it('is pinned at first use; another one stops sending and opening until it is trusted', async () => {
    const server = await serveScript(
      contacts,
      replyJson(201, { message: messageOf() }),
      changed,
      replyJson(201, { message: messageOf() }),
    );
    const platform = makeTestClient(server.url);
    await platform.messages.send('bob', 'Hello');
    const shown = { ...peer, encryption_public_key: mallory.publicKey };

    const error = await failureOf(platform.messages.send(shown, 'Hello'));
    expect(error).toBeInstanceOf(KeyChangedError);
    expect(error).toMatchObject({
      code: 'friend_key_changed',
      botId: bobId,
      pinnedKey: bob.publicKey,
      seenKey: mallory.publicKey,
      ownKey: testKeyPair.publicKey,
      message: expect.stringContaining('contacts.trustKey'),
    });
    const forged = messageOf(seal({ text: 'Pay', recipientPublicKey: testKeyPair.publicKey, keyPair: mallory }));
    expect(await failureOf(platform.messages.open(forged))).toBeInstanceOf(KeyChangedError);
    expect(server.received).toHaveLength(2);

    await platform.contacts.trustKey('bob', fingerprint(mallory.publicKey));
    await platform.messages.send(shown, 'Hello');
    expect(textOf(await platform.messages.open(forged))).toBe('Pay');
    expect(await failureOf(platform.messages.open(messageOf()))).toBeInstanceOf(KeyChangedError);
  });

  it('is pinned when a message was opened with it, and not otherwise', async () => {
    const platform = makeTestClient('http://127.0.0.1:1');
    const broken = messageOf({ sender_public_key: mallory.publicKey });

    expect(await failureOf(platform.messages.open(broken))).toMatchObject({ code: 'cannot_open' });
    expect(textOf(await platform.messages.open(messageOf()))).toBe('Hello');
    expect(await failureOf(platform.messages.open(broken))).toBeInstanceOf(KeyChangedError);
  });

  it('is not pinned if it is that of another pinned agent or of this agent', async () => {
    const carol = { ...peer, id: '01931f6e-0000-7000-8000-000000000003', handle: 'carol' };
    const list = replyJson(200, { contacts: [contact, { ...contact, peer: carol }], next_before: null });
    const state = memoryState();
    const { url } = await serveScript(list);
    const platform = makeTestClient(url, { state });
    await platform.messages.open(messageOf());
    const refused = { code: 'key_of_other_agent', message: expect.stringContaining(`the key of the agent ${bobId}.`) };

    expect(await failureOf(platform.messages.open(messageOf({ sender_id: carol.id })))).toMatchObject(refused);
    expect(await failureOf(platform.messages.send('carol', 'Hello'))).toMatchObject(refused);
    expect(await failureOf(platform.contacts.trustKey('carol', fingerprint(bob.publicKey)))).toMatchObject(refused);
    const mirror = { ...carol, encryption_public_key: testKeyPair.publicKey };
    expect(await failureOf(platform.messages.send(mirror, 'Hello'))).toMatchObject({ code: 'key_of_other_agent' });
    const { pins } = await state.open(credentialFor(url));
    expect((await pins.list()).map(({ bot_id }) => bot_id)).toEqual([bobId]);
    expect(textOf(await platform.messages.open(messageOf()))).toBe('Hello');
  });

  it('is read from the contact when the server reports a changed key', async () => {
    const refusal = replyJson(409, { error: { code: 'key_changed', message: 'No.' } });
    const server = await serveScript(contacts, refusal, changed);
    const platform = makeTestClient(server.url);

    expect(await failureOf(platform.messages.send('bob', 'Hello'))).toMatchObject({
      code: 'friend_key_changed',
      seenKey: mallory.publicKey,
    });
    expect(await platform.messages.pending()).toEqual([]);

    const same = await serveScript(contacts, refusal, contacts);
    expect(await failureOf(makeTestClient(same.url).messages.send('bob', 'Hello'))).toBeInstanceOf(ApiError);
  });
});

describe('a conversation', () => {
  it('lists messages that cannot be opened with the reason', async () => {
    const messages = [
      messageOf(),
      messageOf({ ciphertext: 'A'.repeat(64) }),
      messageOf({ encryption_version: 'box-v2' }),
      messageOf({ recipient_public_key: mallory.publicKey }),
      messageOf({ recipient_id: bobId }),
      messageOf({ nonce: '!' }),
    ];
    const server = await serveScript(replyJson(200, { messages, next_before: null }));

    const page = await makeTestClient(server.url).messages.list(bobId);
    expect(page.messages.map(({ error, text }) => error?.code ?? text)).toEqual([
      'Hello',
      'cannot_open',
      'unsupported_version',
      'wrong_recipient',
      'wrong_recipient',
      'malformed_envelope',
    ]);
    expect(page.messages[1]).toMatchObject({ bytes: null, direction: 'received' });
    expectTypeOf<ConversationMessage['text']>().toEqualTypeOf<Untrusted | null>();
  });
});

describe('a failure that does not concern the message', () => {
  it.each([
    ['a token that is not valid', replyJson(401, { error: { code: 'unauthorized', message: 'No.' } })],
    ['a limit', replyJson(429, { error: { code: 'rate_limited', message: 'No.' } })],
    ['a server that stops', replyJson(503, { error: { code: 'unavailable', message: 'No.' } })],
    ['the page of a proxy', replyJson(404, 'nothing here')],
  ])('leaves it in the outbox: %s', async (_, answer) => {
    const server = await serveScript(replyJson(200, { contacts: [contact], next_before: null }), answer);
    const platform = makeTestClient(server.url);

    expect(await failureOf(platform.messages.send('bob', 'Hello'))).toMatchObject({
      code: 'message_pending',
      cause: expect.any(ApiError),
    });
    expect(await platform.messages.pending()).toHaveLength(1);
    expect((await platform.messages.resume())[0]).toMatchObject({ outcome: 'pending' });
    const [entry] = await platform.messages.pending();
    await platform.messages.discard(entry?.envelope.client_message_id ?? '');
    expect(await platform.messages.resume()).toEqual([]);
  });

  it('is an abort: it rejects with the signal’s reason, and the message stays', async () => {
    const ending = new AbortController();
    const server = await serveScript(replyJson(200, { contacts: [contact], next_before: null }), () =>
      ending.abort('enough'),
    );
    const platform = makeTestClient(server.url);

    expect(await failureOf(platform.messages.send('bob', 'Hello', { signal: ending.signal }))).toBe('enough');
    expect(await platform.messages.pending()).toHaveLength(1);
  });
});
