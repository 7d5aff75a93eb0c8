import { randomUUID } from 'node:crypto';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { describe, expect, it } from 'vitest';
import { makeTestClient } from '../../testing/client.ts';
import { failureOf, testKeyPair, testPassport } from '../../testing/records.ts';
import { replyError, replyJson, serveScript } from '../../testing/scripted-server.ts';
import { makeDurableState, stateFactories } from '../../testing/states.ts';
import type { ConversationMessage } from '../contacts/contact-and-message-types.ts';
import { type Envelope, seal } from '../crypto/box.ts';
import { fingerprint, generateKeyPair } from '../crypto/keys.ts';
import { type Untrusted, unfenced } from '../untrusted.ts';

const bob = generateKeyPair();
const bobId = '01931f6e-0000-7000-8000-000000000002';
const nowhere = 'http://127.0.0.1:1';
const contacts = replyJson(200, {
  contacts: [
    {
      contact_id: '01931f6e-0000-7000-8000-0000000000aa',
      status: 'friends',
      peer: {
        id: bobId,
        handle: 'bob',
        display_name: 'Bob',
        encryption_public_key: bob.publicKey,
        encryption_key_fingerprint: fingerprint(bob.publicKey),
      },
      created_at: testPassport.created_at,
      updated_at: testPassport.created_at,
    },
  ],
  next_before: null,
});

const fromBob = (text: string) => seal({ text, recipientPublicKey: testKeyPair.publicKey, keyPair: bob });
const fromAlice = (text: string) => seal({ text, recipientPublicKey: bob.publicKey, keyPair: testKeyPair });

/** A message that the server presents to Alice; its envelope may be that of another message. */
function shown(direction: 'sent' | 'received', envelope: Envelope, second = 0) {
  const [alice, other] = [
    { id: testPassport.id, key: testKeyPair.publicKey },
    { id: bobId, key: bob.publicKey },
  ];
  const [sender, recipient] = direction === 'sent' ? [alice, other] : [other, alice];
  const { encryption_version, nonce, ciphertext } = envelope;
  return {
    id: randomUUID(),
    sender_id: sender.id,
    recipient_id: recipient.id,
    client_message_id: randomUUID(),
    encryption_version,
    nonce,
    ciphertext,
    sender_public_key: sender.key,
    recipient_public_key: recipient.key,
    created_at: new Date(Date.UTC(2026, 10, 21, 9, 0, second)).toISOString(),
    expires_at: '2027-11-21T09:00:00.000Z',
  };
}

function resultOf({ error, text }: Pick<ConversationMessage, 'error' | 'text'>): string {
  return error?.code ?? unfenced(text as Untrusted);
}

describe.each(stateFactories)('the nonces in $name', ({ make }) => {
  it('refuse a sent envelope that is presented as received, even before the server has accepted it', async () => {
    const server = await serveScript(contacts, replyError(503, 'unavailable'));
    const platform = makeTestClient(server.url, { state: make(makeTestFolder()) });
    expect(await failureOf(platform.messages.send('bob', 'Pay 5 to Carol'))).toMatchObject({ code: 'message_pending' });
    const [entry] = await platform.messages.pending();
    if (entry === undefined) throw new Error('Nothing is pending.');
    const own = shown('sent', entry.envelope);

    const failure = await failureOf(platform.messages.open(shown('received', entry.envelope)));
    expect(failure).toMatchObject({ name: 'EnvelopeError', code: 'reflected_envelope' });
    expect(resultOf(await platform.messages.open(own))).toBe('Pay 5 to Carol');
    expect(await failureOf(platform.messages.open({ ...own, id: randomUUID() }))).toMatchObject({
      code: 'replayed_envelope',
      message: expect.stringContaining(own.id),
    });
  });

  it('refuse a received envelope under another id, agent or direction, and open the same message again', async () => {
    const platform = makeTestClient(nowhere, { state: make(makeTestFolder()) });
    const envelope = fromBob('Hello');
    const message = shown('received', envelope);
    const otherAgent = '01931f6e-0000-7000-8000-000000000003';
    const open = async (one: typeof message) => (await failureOf(platform.messages.open(one))) as { code: string };

    expect(resultOf(await platform.messages.open(message))).toBe('Hello');
    expect((await open({ ...message, id: randomUUID() })).code).toBe('replayed_envelope');
    expect((await open({ ...message, id: randomUUID(), sender_id: otherAgent })).code).toBe('key_of_other_agent');
    expect((await open({ ...shown('sent', envelope), id: message.id })).code).toBe('reflected_envelope');
    expect(resultOf(await platform.messages.open({ ...message, id: message.id.toUpperCase() }))).toBe('Hello');
  });

  it('open a whole history with an empty state, in any order, and again', async () => {
    const history = Array.from({ length: 12 }, (_, second) =>
      second % 3 === 0
        ? shown('sent', fromAlice(`${second}`), second)
        : shown('received', fromBob(`${second}`), second),
    );
    for (const messages of [
      history,
      history.toReversed(),
      history.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    ]) {
      const server = await serveScript(replyJson(200, { messages, next_before: null }));
      const platform = makeTestClient(server.url, { state: make(makeTestFolder()) });
      for (const _ of [1, 2]) {
        const page = await platform.messages.list(bobId);
        expect(page.messages.map(resultOf)).toEqual(
          messages.map(({ created_at }) => `${new Date(created_at).getUTCSeconds()}`),
        );
      }
    }
  });

  it('refuse the later of two messages of one page', async () => {
    const original = shown('received', fromBob('Pay'), 1);
    const repeat = { ...original, id: randomUUID(), created_at: '2026-11-21T09:00:02.000Z' };
    const server = await serveScript(replyJson(200, { messages: [repeat, original], next_before: null }));
    const platform = makeTestClient(server.url, { state: make(makeTestFolder()) });

    expect((await platform.messages.list(bobId)).messages.map(resultOf)).toEqual(['replayed_envelope', 'Pay']);
  });

  it('cover only the latest messages; an older nonce is no longer recognized', async () => {
    const platform = makeTestClient(nowhere, { state: make(makeTestFolder(), { noncesMax: 2 }) });
    const [first, second, third] = [1, 2, 3].map((at) => shown('received', fromBob(`${at}`), at)) as [
      ReturnType<typeof shown>,
      ReturnType<typeof shown>,
      ReturnType<typeof shown>,
    ];
    // Newest first, as in a conversation history.
    for (const message of [third, second, first]) await platform.messages.open(message);
    const again = (message: ReturnType<typeof shown>) =>
      platform.messages.open({ ...message, id: randomUUID() }).then(resultOf, codeOf);

    expect([await again(first), await again(second), await again(third)]).toEqual([
      '1',
      'replayed_envelope',
      'replayed_envelope',
    ]);
  });
});

function codeOf(error: unknown): string {
  return String(Reflect.get(Object(error), 'code'));
}

describe('nonces that several processes share', () => {
  it('are known to all of them, and after a restart', async () => {
    const place = makeTestFolder();
    const server = await serveScript(contacts, replyJson(201, { message: shown('sent', fromAlice('accepted')) }));
    const [one, other] = [1, 2].map(() => makeTestClient(server.url, { state: makeDurableState(place) }));
    if (one === undefined || other === undefined) throw new Error('There is no client.');
    await one.messages.send('bob', 'Hello');
    const { nonce, ciphertext, encryption_version } = JSON.parse(server.received.at(-1)?.body ?? '');
    const reflected = { ...shown('received', fromAlice('')), nonce, ciphertext, encryption_version };

    expect(await failureOf(other.messages.open(reflected))).toMatchObject({ code: 'reflected_envelope' });
    const later = makeTestClient(server.url, { state: makeDurableState(place) });
    expect(await failureOf(later.messages.open(reflected))).toMatchObject({ code: 'reflected_envelope' });
  });
});
