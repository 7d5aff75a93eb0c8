import { randomUUID } from 'node:crypto';
import type { Envelope } from '@agent-platform/contract';
import { describe, expect, it } from 'vitest';
import { makeDialogRequests, messagesIn } from '../../testing/scenarios/dialogs.ts';
import { makeEnvelope, randomBase64 } from '../../testing/scenarios/envelopes.ts';
import { befriend, readEventBacklog, sendContactBlock, sendContactRequest } from '../../testing/scenarios/friends.ts';
import { reactivateAgent, suspendAgent } from '../../testing/scenarios/suspension.ts';
import { day, expectRefusal, minute, newPublicKey, openTestServer, useTestServer } from '../../testing/test-server.ts';
import { newId } from '../platform/crypto.ts';

const server = useTestServer();

const { two, friends, send, list, sendsTo } = makeDialogRequests(server);
const ofMessages = (kind: string) => kind === 'message.created';

describe('sending', () => {
  it('stores the envelope unchanged, and returns the same bytes to both agents', async () => {
    const [alice, bob] = await friends();
    const envelope = { ...(await makeEnvelope(server(), alice, bob)), ciphertext: randomBase64(4_000) };
    const answer = await send(alice, envelope);

    expect(answer.status).toBe(201);
    expect(answer.body['message']).toMatchObject({ ...envelope, sender_id: alice.id });
    expect(messagesIn(await list(alice, bob))).toEqual([answer.body['message']]);
    expect(messagesIn(await list(bob, alice))).toEqual([answer.body['message']]);
  });

  it('keeps the message for 90 days by the clock of the server', async () => {
    const [alice, bob] = await friends();
    const { created_at, expires_at } = (await sendsTo(alice, bob)).body['message'] as never as Record<string, string>;
    expect(Date.parse(expires_at ?? '') - Date.parse(created_at ?? '')).toBe(90 * day);
  });

  it('sends the event with the message only to the recipient', async () => {
    const [alice, bob] = await friends();
    const message = (await sendsTo(alice, bob)).body['message'];
    const [, event] = await readEventBacklog(server(), bob);

    expect(event).toMatchObject({ kind: 'message.created', peer_id: alice.id, payload: message });
    expect((await readEventBacklog(server(), alice)).map(({ kind }) => kind)).toEqual(['contact.accepted']);
  });

  it.each([16, 17, 18, 16_383, 16_384])('accepts %i bytes and returns all of them', async (size) => {
    const [alice, bob] = await friends();
    const envelope = { ...(await makeEnvelope(server(), alice, bob)), ciphertext: randomBase64(size) };

    expect((await send(alice, envelope)).status).toBe(201);
    expect(messagesIn(await list(bob, alice))[0]?.['ciphertext']).toBe(envelope.ciphertext);
  });

  it('works in both directions, and keeps messages for a suspended friend', async () => {
    const [alice, bob] = await friends();
    const envelope = await makeEnvelope(server(), alice, bob);
    await suspendAgent(server().store, () => new Date(), bob.id);
    const sent = await send(alice, envelope);
    await reactivateAgent(server().store, bob.id);
    await sendsTo(bob, alice);

    expect(sent.status).toBe(201);
    expect(messagesIn(await list(bob, alice)).map((message) => message['sender_id'])).toEqual([bob.id, alice.id]);
  });
});

describe('an envelope that is refused', () => {
  const cases: readonly (readonly [string, (envelope: Envelope) => unknown, Parameters<typeof expectRefusal>[1]])[] = [
    ['nothing in it', () => ({}), 'encrypted_envelope_required'],
    ['a list', () => [], 'encrypted_envelope_required'],
    ['a member less', ({ nonce: _nonce, ...rest }) => rest, 'encrypted_envelope_required'],
    ['plain text beside it', (envelope) => ({ ...envelope, text: 'hello' }), 'encrypted_envelope_required'],
    ['plain text alone', ({ recipient_id }) => ({ recipient_id, content: 'hi' }), 'encrypted_envelope_required'],
    ['an unknown member', (envelope) => ({ ...envelope, subject: 'x' }), 'invalid_fields'],
    ['another version', (envelope) => ({ ...envelope, encryption_version: 'box-v2' }), 'unsupported_encryption'],
    ['no version', (envelope) => ({ ...envelope, encryption_version: null }), 'unsupported_encryption'],
    ['a recipient that is no UUID', (envelope) => ({ ...envelope, recipient_id: 'bob' }), 'invalid_id'],
    ['an id that is no UUID', (envelope) => ({ ...envelope, client_message_id: '1' }), 'invalid_id'],
    ['a nonce of 23 bytes', (envelope) => ({ ...envelope, nonce: randomBase64(23) }), 'invalid_envelope'],
    ['a nonce of 25 bytes', (envelope) => ({ ...envelope, nonce: randomBase64(25) }), 'invalid_envelope'],
    ['a nonce in base64url', (envelope) => ({ ...envelope, nonce: '-_'.repeat(16) }), 'invalid_envelope'],
    ['15 bytes', (envelope) => ({ ...envelope, ciphertext: randomBase64(15) }), 'invalid_envelope'],
    ['16385 bytes', (envelope) => ({ ...envelope, ciphertext: randomBase64(16_385) }), 'invalid_envelope'],
    ['16387 bytes', (envelope) => ({ ...envelope, ciphertext: randomBase64(16_387) }), 'invalid_envelope'],
    ['no padding', (envelope) => ({ ...envelope, ciphertext: randomBase64(16).slice(0, 22) }), 'invalid_envelope'],
    ['stray bits', (envelope) => ({ ...envelope, ciphertext: `${'A'.repeat(21)}B==` }), 'invalid_envelope'],
    ['white space', (envelope) => ({ ...envelope, ciphertext: `${randomBase64(18)}\n   ` }), 'invalid_envelope'],
    ['letters similar to base64', (envelope) => ({ ...envelope, ciphertext: 'А'.repeat(24) }), 'invalid_envelope'],
    ['a number for a text', (envelope) => ({ ...envelope, ciphertext: 7 }), 'invalid_envelope'],
    ['a key of 31 bytes', (envelope) => ({ ...envelope, sender_public_key: randomBase64(31) }), 'invalid_envelope'],
    ['another key of the sender', (envelope) => ({ ...envelope, sender_public_key: newPublicKey() }), 'key_changed'],
    [
      'another key of the recipient',
      (envelope) => ({ ...envelope, recipient_public_key: newPublicKey() }),
      'key_changed',
    ],
    ['a recipient that nobody is', (envelope) => ({ ...envelope, recipient_id: newId() }), 'contact_not_accepted'],
  ];

  it.each(cases)('has %s', async (_name, change, code) => {
    const [alice, bob] = await friends();
    expectRefusal(await send(alice, change(await makeEnvelope(server(), alice, bob))), code);
    expect(messagesIn(await list(bob, alice))).toEqual([]);
    expect((await readEventBacklog(server(), bob)).some(({ kind }) => ofMessages(kind))).toBe(false);
  });

  it('goes to oneself, to a stranger, to one who has not accepted, or to one who is blocked', async () => {
    const [alice, bob] = await two();
    const envelope = await makeEnvelope(server(), alice, bob);
    expectRefusal(await send(alice, { ...envelope, recipient_id: alice.id }), 'contact_not_accepted');
    expectRefusal(await send(alice, envelope), 'contact_not_accepted');
    const id = await sendContactRequest(server(), alice, bob);
    expectRefusal(await send(alice, envelope), 'contact_not_accepted');
    expectRefusal(await send(bob, await makeEnvelope(server(), bob, alice)), 'contact_not_accepted');
    await sendContactBlock(server(), bob, id);
    expectRefusal(await send(alice, envelope), 'contact_not_accepted');
    // The ids and nonces of refused messages remain usable.
    const [carol, dave] = await friends();
    const corrected = { ...envelope, recipient_id: dave.id };
    expectRefusal(await send(carol, corrected), 'key_changed');
    const keys = await makeEnvelope(server(), carol, dave);
    expect(
      (await send(carol, { ...keys, nonce: envelope.nonce, client_message_id: envelope.client_message_id })).status,
    ).toBe(201);
  });
});

describe('a repeat', () => {
  it('answers 200 with the stored message, and announces nothing again', async () => {
    const [alice, bob] = await friends();
    const envelope = await makeEnvelope(server(), alice, bob);
    const first = await send(alice, envelope);
    server().pass(minute);
    const capitals = {
      client_message_id: envelope.client_message_id.toUpperCase(),
      recipient_id: bob.id.toUpperCase(),
    };
    const again = await send(alice, { ...envelope, ...capitals });

    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
    expect(messagesIn(await list(bob, alice))).toHaveLength(1);
    expect((await readEventBacklog(server(), bob)).filter(({ kind }) => ofMessages(kind))).toHaveLength(1);
  });

  it('still answers after a block', async () => {
    const [alice, bob, contactId] = await friends();
    const envelope = await makeEnvelope(server(), alice, bob);
    const first = await send(alice, envelope);
    await sendContactBlock(server(), bob, contactId);

    const again = await send(alice, envelope);
    expect([again.status, again.body]).toEqual([200, first.body]);
  });

  it('with any difference is a conflict, checked before keys, nonce and friendship', async () => {
    const [alice, bob] = await friends();
    const envelope = await makeEnvelope(server(), alice, bob);
    await send(alice, envelope);

    for (const change of [
      { ciphertext: randomBase64(64) },
      { nonce: randomBase64(24) },
      { recipient_id: newId() },
      { sender_public_key: newPublicKey() },
    ]) {
      expectRefusal(await send(alice, { ...envelope, ...change }), 'idempotency_conflict');
    }
  });

  it('under the same id by another sender is a separate message', async () => {
    const [alice, bob] = await friends();
    const envelope = await makeEnvelope(server(), alice, bob);
    await send(alice, envelope);
    const answer = await send(bob, {
      ...(await makeEnvelope(server(), bob, alice)),
      client_message_id: envelope.client_message_id,
    });

    expect(answer.status).toBe(201);
  });
});

describe('a nonce', () => {
  it('is valid once between two agents, in either direction, and checked after the keys', async () => {
    const [alice, bob] = await friends();
    const envelope = await makeEnvelope(server(), alice, bob);
    await send(alice, envelope);
    const { nonce } = envelope;

    expectRefusal(await send(alice, { ...envelope, client_message_id: randomUUID() }), 'nonce_reuse');
    expectRefusal(await send(bob, { ...(await makeEnvelope(server(), bob, alice)), nonce }), 'nonce_reuse');
    expectRefusal(
      await send(alice, { ...envelope, client_message_id: randomUUID(), sender_public_key: newPublicKey() }),
      'key_changed',
    );
  });

  it('may be used with another friend', async () => {
    const [alice, bob] = await friends();
    const carol = await server().register('carol');
    await befriend(server(), alice, carol);
    const { nonce } = await makeEnvelope(server(), alice, bob);
    await send(alice, { ...(await makeEnvelope(server(), alice, bob)), nonce });

    expect((await send(alice, { ...(await makeEnvelope(server(), alice, carol)), nonce })).status).toBe(201);
  });
});

describe('the limit of messages', () => {
  it('counts requests that are not repeats, including refused ones, and accepts repeats', async () => {
    const limited = await openTestServer({ PLATFORM_MESSAGES_PER_MINUTE: '3' });
    const [alice, bob] = await friends(limited);
    const envelope = await makeEnvelope(limited, alice, bob);
    expect((await send(alice, envelope, limited)).status).toBe(201);
    for (let time = 0; time < 5; time += 1) expect((await send(alice, envelope, limited)).status).toBe(200);
    for (let time = 0; time < 5; time += 1)
      expectRefusal(await send(alice, {}, limited), 'encrypted_envelope_required');
    expectRefusal(await send(alice, { ...envelope, ciphertext: randomBase64(16) }, limited), 'idempotency_conflict');
    await sendsTo(alice, bob, limited);

    const beyond = await send(alice, await makeEnvelope(limited, alice, bob), limited);
    expectRefusal(beyond, 'rate_limited');
    expect(Number(beyond.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await send(alice, envelope, limited)).status).toBe(200);
    await sendsTo(bob, alice, limited);

    limited.pass(minute);
    await sendsTo(alice, bob, limited);
  });
});
