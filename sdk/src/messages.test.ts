import { randomUUID } from 'node:crypto';
import { fetch as undiciFetch } from 'undici';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { answering, json } from '../testing/answering-server.ts';
import { clientOf } from '../testing/client.ts';
import { friends } from '../testing/friends.ts';
import { failureOf, keyPair, passport } from '../testing/records.ts';
import { startReferenceServer } from '../testing/reference-server.ts';
import { seal } from './box.ts';
import { ApiError, KeyChangedError, MessagePendingError } from './errors.ts';
import { fingerprint, generateKeyPair } from './keys.ts';
import type { Fetch } from './options.ts';
import type { DialogMessage } from './private-life.ts';
import { type Untrusted, unfenced } from './untrusted.ts';

/** A way to the network that loses the answers to messages for as long as it is told. */
function losingAnswers() {
  const bodies: string[] = [];
  const state = { loses: true };
  const fetch: Fetch = async (url, init) => {
    const isMessage = init.method === 'POST' && url.endsWith('/messages');
    if (isMessage) bodies.push(String(init.body));
    const answer = await undiciFetch(url, init);
    if (isMessage && state.loses) throw new Error('the answer was lost');
    return answer;
  };
  return { fetch, bodies, state };
}

function textOf({ text }: { readonly text: Untrusted | null }): string | null {
  return text === null ? null : unfenced(text);
}

describe('messages on the reference server', { timeout: 60_000 }, () => {
  it('are sealed for a friend and opened by both, newest first, by handle, id or contact', async () => {
    const { alice, bob } = await friends(await startReferenceServer());
    const [contact] = (await alice.contacts.list()).contacts;
    if (contact === undefined) throw new Error('There is no contact.');

    const first = await alice.messages.send('bob', 'one');
    await alice.messages.send(contact, { text: 'two' });
    await alice.messages.send(contact.peer, { bytes: Uint8Array.of(0xff) });
    await bob.messages.send(first.sender_id, 'three');

    for (const [platform, friend] of [
      [alice, contact.peer.id.toUpperCase()],
      [bob, 'alice'],
    ] as const) {
      const { messages, next_before } = await platform.messages.list(friend);
      expect(messages.map(textOf)).toEqual(['three', null, 'two', 'one']);
      expect(messages[1]?.bytes).toEqual(Uint8Array.of(0xff));
      expect(next_before).toBeNull();
    }
    const directions = (await bob.messages.list('alice')).messages.map(({ direction }) => direction);
    expect(directions).toEqual(['sent', 'received', 'received', 'received']);
    const { messages } = await bob.messages.list('alice', { before: first.id });
    expect(messages).toEqual([]);
    expect(await alice.messages.pending()).toEqual([]);
  });

  it('are sent again with the same bytes when the answer was lost, and stored once', async () => {
    const { fetch, bodies, state } = losingAnswers();
    const { alice, bob } = await friends(await startReferenceServer(), { fetch, maxRetries: 1, sleep: async () => {} });

    const error = await failureOf(alice.messages.send('bob', 'Hello'));
    expect(error).toBeInstanceOf(MessagePendingError);
    const [pending] = await alice.messages.pending();
    expect(error).toMatchObject({ clientMessageId: pending?.envelope.client_message_id });
    expect(JSON.stringify(pending)).not.toContain('Hello');
    await failureOf(alice.messages.send('bob', 'Again'));

    const stuck = await alice.messages.resume();
    expect(stuck.map(({ outcome }) => outcome)).toEqual(['pending', 'pending']);
    state.loses = false;
    const resumed = await alice.messages.resume();
    expect(resumed).toMatchObject([
      { outcome: 'sent', message: { client_message_id: pending?.envelope.client_message_id } },
      { outcome: 'sent' },
    ]);
    expect(new Set(bodies).size).toBe(2);
    expect(bodies.length).toBeGreaterThan(5);
    expect(await alice.messages.pending()).toEqual([]);
    expect((await bob.messages.list('alice')).messages.map(textOf)).toEqual(['Again', 'Hello']);
  });

  it('leave the outbox when they are refused, with the code', async () => {
    const { alice, bob } = await friends(await startReferenceServer());
    const clientMessageId = randomUUID();
    await alice.messages.send('bob', 'one', { clientMessageId });

    const conflict = await failureOf(alice.messages.send('bob', 'another', { clientMessageId }));
    expect(conflict).toMatchObject({ name: 'ApiError', code: 'idempotency_conflict' });
    const [contact] = (await bob.contacts.list()).contacts;
    await bob.contacts.block(contact?.contact_id ?? '');
    expect(await failureOf(alice.messages.send('bob', 'two'))).toMatchObject({ code: 'contact_not_accepted' });
    expect(await alice.messages.pending()).toEqual([]);
  });

  it('of one id are one message while it is in the outbox', async () => {
    const { fetch, bodies, state } = losingAnswers();
    const { alice, bob } = await friends(await startReferenceServer(), { fetch, maxRetries: 0 });
    const clientMessageId = randomUUID();
    await failureOf(alice.messages.send('bob', 'Hello', { clientMessageId }));

    expect(await failureOf(alice.messages.send('bob', 'Bye', { clientMessageId }))).toMatchObject({
      code: 'invalid_option',
    });
    state.loses = false;
    expect(await alice.messages.send('bob', 'Hello', { clientMessageId })).toMatchObject({
      client_message_id: clientMessageId,
    });
    expect(new Set(bodies).size).toBe(1);
    expect((await bob.messages.list('alice')).messages).toHaveLength(1);
  });

  it('are not resumed twice by the client that is sending them', async () => {
    const { fetch, bodies, state } = losingAnswers();
    state.loses = false;
    const gate = Promise.withResolvers<void>();
    const slow: Fetch = async (url, init) => {
      if (init.method === 'POST' && url.endsWith('/messages')) await gate.promise;
      return await fetch(url, init);
    };
    const { alice } = await friends(await startReferenceServer(), { fetch: slow });

    const sending = alice.messages.send('bob', 'Hello');
    await vi.waitFor(async () => expect(await alice.messages.pending()).toHaveLength(1));
    expect(await alice.messages.resume()).toEqual([]);
    gate.resolve();
    await sending;
    expect(bodies).toHaveLength(1);
  });

  it('arrive as events, and are opened from them', async () => {
    const { alice, bob } = await friends(await startReferenceServer());
    const texts: (string | null)[] = [];
    const ending = new AbortController();
    bob.events.on('message.created', async ({ payload }) => {
      texts.push(textOf(await bob.messages.open(payload)));
      if (texts.length === 3) ending.abort();
    });
    const running = bob.events.run({ signal: ending.signal });
    for (const text of ['one', 'two', 'three']) await alice.messages.send('bob', text);

    await running;
    expect(texts).toEqual(['one', 'two', 'three']);
  });

  it('go on arriving after a rotation by the same client', async () => {
    const { alice, bob } = await friends(await startReferenceServer());
    const ending = new AbortController();
    const seen: (string | null)[] = [];
    const opened = Promise.withResolvers<void>();
    const listening = (async () => {
      for await (const event of bob.events.listen({ signal: ending.signal })) {
        if (event.kind !== 'message.created') continue;
        seen.push(textOf(await bob.messages.open(event.payload)));
        opened.resolve();
        if (seen.length === 2) ending.abort();
      }
    })();
    await alice.messages.send('bob', 'before');
    await opened.promise;
    await bob.tokens.rotate();
    await alice.messages.send('bob', 'after');

    await listening;
    expect(seen).toEqual(['before', 'after']);
  });

  it('stop arriving when the token was revoked', async () => {
    const { bob } = await friends(await startReferenceServer(), {});
    const running = bob.events.run();
    const outcome = failureOf(running);
    await bob.tokens.revoke();

    expect(await outcome).toMatchObject({ code: expect.stringMatching(/^(stream_unauthorized|no_credential)$/) });
  });
});

describe('a plain text', () => {
  it.each([
    ['too many characters', 'x'.repeat(8_001), 'plaintext_too_long'],
    ['too many bytes', '€'.repeat(5_001), 'plaintext_too_long'],
    ['half a pair', '\ud83d', 'invalid_text'],
  ])('with %s is neither kept nor sent', async (_, text, code) => {
    const server = await answering(json(200, { contacts: [contact], next_before: null }));
    const platform = clientOf(server.url);

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
  created_at: passport.created_at,
  updated_at: passport.created_at,
};

function messageOf(change: object = {}) {
  return {
    id: '01931f6e-0000-7000-8000-0000000000cc',
    sender_id: bobId,
    recipient_id: passport.id,
    client_message_id: randomUUID(),
    ...seal({ text: 'Hello', recipientPublicKey: keyPair.publicKey, keyPair: bob }),
    created_at: passport.created_at,
    expires_at: passport.created_at,
    ...change,
  };
}

describe('the key of a friend', () => {
  const contacts = json(200, { contacts: [contact], next_before: null });
  const changed = json(200, {
    contacts: [{ ...contact, peer: { ...peer, encryption_public_key: mallory.publicKey } }],
    next_before: null,
  });

  it('is pinned at first use; another one stops sending and opening until it is trusted', async () => {
    const server = await answering(
      contacts,
      json(201, { message: messageOf() }),
      changed,
      json(201, { message: messageOf() }),
    );
    const platform = clientOf(server.url);
    await platform.messages.send('bob', 'Hello');
    const shown = { ...peer, encryption_public_key: mallory.publicKey };

    const error = await failureOf(platform.messages.send(shown, 'Hello'));
    expect(error).toBeInstanceOf(KeyChangedError);
    expect(error).toMatchObject({
      code: 'friend_key_changed',
      botId: bobId,
      pinnedKey: bob.publicKey,
      seenKey: mallory.publicKey,
      ownKey: keyPair.publicKey,
      message: expect.stringContaining('contacts.trustKey'),
    });
    const forged = messageOf(seal({ text: 'Pay', recipientPublicKey: keyPair.publicKey, keyPair: mallory }));
    expect(await failureOf(platform.messages.open(forged))).toBeInstanceOf(KeyChangedError);
    expect(server.received).toHaveLength(2);

    await platform.contacts.trustKey('bob', fingerprint(mallory.publicKey));
    await platform.messages.send(shown, 'Hello');
    expect(textOf(await platform.messages.open(forged))).toBe('Pay');
    expect(await failureOf(platform.messages.open(messageOf()))).toBeInstanceOf(KeyChangedError);
  });

  it('is pinned by the first message that it opens, and by none that it does not', async () => {
    const platform = clientOf('http://127.0.0.1:1');
    const broken = messageOf({ sender_public_key: mallory.publicKey });

    expect(await failureOf(platform.messages.open(broken))).toMatchObject({ code: 'cannot_open' });
    expect(textOf(await platform.messages.open(messageOf()))).toBe('Hello');
    expect(await failureOf(platform.messages.open(broken))).toBeInstanceOf(KeyChangedError);
  });

  it('is looked up when the server says that a key has changed', async () => {
    const refusal = json(409, { error: { code: 'key_changed', message: 'No.' } });
    const server = await answering(contacts, refusal, changed);
    const platform = clientOf(server.url);

    expect(await failureOf(platform.messages.send('bob', 'Hello'))).toMatchObject({
      code: 'friend_key_changed',
      seenKey: mallory.publicKey,
    });
    expect(await platform.messages.pending()).toEqual([]);

    const same = await answering(contacts, refusal, contacts);
    expect(await failureOf(clientOf(same.url).messages.send('bob', 'Hello'))).toBeInstanceOf(ApiError);
  });
});

describe('a dialog', () => {
  it('shows what cannot be opened with its reason, beside the rest', async () => {
    const messages = [
      messageOf(),
      messageOf({ ciphertext: 'A'.repeat(64) }),
      messageOf({ encryption_version: 'box-v2' }),
      messageOf({ recipient_public_key: mallory.publicKey }),
      messageOf({ recipient_id: bobId }),
      messageOf({ nonce: '!' }),
    ];
    const server = await answering(json(200, { messages, next_before: null }));

    const page = await clientOf(server.url).messages.list(bobId);
    expect(page.messages.map(({ error, text }) => error?.code ?? text)).toEqual([
      'Hello',
      'cannot_open',
      'unsupported_version',
      'wrong_recipient',
      'wrong_recipient',
      'malformed_envelope',
    ]);
    expect(page.messages[1]).toMatchObject({ bytes: null, direction: 'received' });
    expectTypeOf<DialogMessage['text']>().toEqualTypeOf<Untrusted | null>();
  });
});

describe('what says nothing of the message', () => {
  it.each([
    ['a token that is not valid', json(401, { error: { code: 'unauthorized', message: 'No.' } })],
    ['a limit', json(429, { error: { code: 'rate_limited', message: 'No.' } })],
    ['a server that stops', json(503, { error: { code: 'unavailable', message: 'No.' } })],
    ['the page of a proxy', json(404, 'nothing here')],
  ])('leaves it in the outbox: %s', async (_, answer) => {
    const server = await answering(json(200, { contacts: [contact], next_before: null }), answer);
    const platform = clientOf(server.url);

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
    const server = await answering(json(200, { contacts: [contact], next_before: null }), () => ending.abort('enough'));
    const platform = clientOf(server.url);

    expect(await failureOf(platform.messages.send('bob', 'Hello', { signal: ending.signal }))).toBe('enough');
    expect(await platform.messages.pending()).toHaveLength(1);
  });
});
