import { randomUUID } from 'node:crypto';
import { fetch as undiciFetch } from 'undici';
import { describe, expect, it, vi } from 'vitest';
import { befriend, makeTwoFriends } from '../../testing/friends.ts';
import { failureOf } from '../../testing/records.ts';
import { useReferenceServer } from '../../testing/reference-server.ts';
import { MessagePendingError } from '../errors.ts';
import type { Fetch } from '../transport/call-options.ts';
import { type Untrusted, unfenced } from '../untrusted.ts';

/** A network that drops the responses to messages while `loses` is true. */
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

const server = useReferenceServer();

describe('messages on the reference server', () => {
  it('are sealed for a friend and opened by both, newest first, by handle, id or contact', async () => {
    const { alice, bob, handles } = await makeTwoFriends(server.url);
    const [contact] = (await alice.contacts.list()).contacts;
    if (contact === undefined) throw new Error('There is no contact.');

    const first = await alice.messages.send(handles.bob, 'one');
    await alice.messages.send(contact, { text: 'two' });
    await alice.messages.send(contact.peer, { bytes: Uint8Array.of(0xff) });
    await bob.messages.send(first.sender_id, 'three');

    for (const [platform, friend] of [
      [alice, contact.peer.id.toUpperCase()],
      [bob, handles.alice],
    ] as const) {
      const { messages, next_before } = await platform.messages.list(friend);
      expect(messages.map(textOf)).toEqual(['three', null, 'two', 'one']);
      expect(messages[1]?.bytes).toEqual(Uint8Array.of(0xff));
      expect(next_before).toBeNull();
    }
    const directions = (await bob.messages.list(handles.alice)).messages.map(({ direction }) => direction);
    expect(directions).toEqual(['sent', 'received', 'received', 'received']);
    const { messages } = await bob.messages.list(handles.alice, { before: first.id });
    expect(messages).toEqual([]);
    expect(await alice.messages.pending()).toEqual([]);
  });

  it('are sent again with the same bytes when the response was lost, and stored once', async () => {
    const { fetch, bodies, state } = losingAnswers();
    const { alice, bob, handles } = await makeTwoFriends(server.url, { fetch, maxRetries: 1, sleep: async () => {} });

    const error = await failureOf(alice.messages.send(handles.bob, 'Hello'));
    expect(error).toBeInstanceOf(MessagePendingError);
    const [pending] = await alice.messages.pending();
    expect(error).toMatchObject({ clientMessageId: pending?.envelope.client_message_id });
    expect(JSON.stringify(pending)).not.toContain('Hello');
    await failureOf(alice.messages.send(handles.bob, 'Again'));

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
    expect((await bob.messages.list(handles.alice)).messages.map(textOf)).toEqual(['Again', 'Hello']);
  });

  it('leave the outbox when they are refused, and the error contains the code of the server', async () => {
    const { alice, bob, handles } = await makeTwoFriends(server.url);
    const clientMessageId = randomUUID();
    await alice.messages.send(handles.bob, 'one', { clientMessageId });

    const conflict = await failureOf(alice.messages.send(handles.bob, 'another', { clientMessageId }));
    expect(conflict).toMatchObject({ name: 'ApiError', code: 'idempotency_conflict' });
    const [contact] = (await bob.contacts.list()).contacts;
    await bob.contacts.block(contact?.contact_id ?? '');
    expect(await failureOf(alice.messages.send(handles.bob, 'two'))).toMatchObject({ code: 'contact_not_accepted' });
    expect(await alice.messages.pending()).toEqual([]);
  });

  it('with the same id are one message; another text, or another friend, is refused', async () => {
    const { alice, bob, handles } = await makeTwoFriends(server.url);
    const third = await makeTwoFriends(server.url);
    await befriend(alice, third.bob);
    const clientMessageId = randomUUID();
    const first = await alice.messages.send(handles.bob, 'Hello', { clientMessageId });
    await bob.messages.send(handles.alice, 'Hello');

    expect(await alice.messages.send(handles.bob, 'Hello', { clientMessageId })).toEqual(first);
    expect(await failureOf(alice.messages.send(handles.bob, 'Bye', { clientMessageId }))).toMatchObject({
      name: 'ApiError',
      code: 'idempotency_conflict',
      message: expect.stringMatching(`was already sent to this friend, with another text .*${first.id}`),
    });
    expect(await failureOf(alice.messages.send(third.handles.bob, 'Hello', { clientMessageId }))).toMatchObject({
      code: 'idempotency_conflict',
      message: expect.stringContaining('was already sent to another agent.'),
    });
    expect(await alice.messages.pending()).toEqual([]);
    expect((await bob.messages.list(handles.alice)).messages.map(textOf)).toEqual(['Hello', 'Hello']);
  });

  it('are not sent before earlier pending ones to the same friend', async () => {
    const { fetch, bodies, state } = losingAnswers();
    const { alice, bob, handles } = await makeTwoFriends(server.url, { fetch, maxRetries: 0 });
    const third = await makeTwoFriends(server.url);
    await befriend(alice, third.bob);
    await failureOf(alice.messages.send(handles.bob, 'one'));
    const sent = bodies.length;
    expect(await failureOf(alice.messages.send(handles.bob, 'two'))).toMatchObject({
      code: 'message_pending',
      message: expect.stringContaining('waits in the outbox behind the message'),
    });
    // Only the first pending message was sent again.
    expect(new Set(bodies).size).toBe(1);
    expect(bodies).toHaveLength(sent + 1);
    state.loses = false;
    await alice.messages.send(third.handles.bob, 'to another friend');
    expect(await alice.messages.pending()).toHaveLength(2);
    await alice.messages.send(handles.bob, 'three');

    expect(await alice.messages.pending()).toEqual([]);
    expect((await bob.messages.list(handles.alice)).messages.map(textOf)).toEqual(['three', 'two', 'one']);
  });

  it('with the same id are one message even while it is in the outbox', async () => {
    const { fetch, bodies, state } = losingAnswers();
    const { alice, bob, handles } = await makeTwoFriends(server.url, { fetch, maxRetries: 0 });
    const clientMessageId = randomUUID();
    await failureOf(alice.messages.send(handles.bob, 'Hello', { clientMessageId }));

    expect(await failureOf(alice.messages.send(handles.bob, 'Bye', { clientMessageId }))).toMatchObject({
      code: 'invalid_option',
    });
    state.loses = false;
    expect(await alice.messages.send(handles.bob, 'Hello', { clientMessageId })).toMatchObject({
      client_message_id: clientMessageId,
    });
    expect(new Set(bodies).size).toBe(1);
    expect((await bob.messages.list(handles.alice)).messages).toHaveLength(1);
  });

  it('are not resumed twice by the client that is sending them', async () => {
    const { fetch, bodies, state } = losingAnswers();
    state.loses = false;
    const gate = Promise.withResolvers<void>();
    const slow: Fetch = async (url, init) => {
      if (init.method === 'POST' && url.endsWith('/messages')) await gate.promise;
      return await fetch(url, init);
    };
    const { alice, handles } = await makeTwoFriends(server.url, { fetch: slow });

    const sending = alice.messages.send(handles.bob, 'Hello');
    await vi.waitFor(async () => expect(await alice.messages.pending()).toHaveLength(1), 120_000);
    expect(await alice.messages.resume()).toEqual([]);
    gate.resolve();
    await sending;
    expect(bodies).toHaveLength(1);
  });

  it('arrive as events, and are opened from them', async () => {
    const { alice, bob, handles } = await makeTwoFriends(server.url);
    const texts: (string | null)[] = [];
    const ending = new AbortController();
    bob.events.on('message.created', async ({ payload }) => {
      texts.push(textOf(await bob.messages.open(payload)));
      if (texts.length === 3) ending.abort();
    });
    const running = bob.events.run({ signal: ending.signal });
    for (const text of ['one', 'two', 'three']) await alice.messages.send(handles.bob, text);

    await running;
    expect(texts).toEqual(['one', 'two', 'three']);
  });

  it('continue to arrive after a rotation by the same client', async () => {
    const { alice, bob, handles } = await makeTwoFriends(server.url);
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
    await alice.messages.send(handles.bob, 'before');
    await opened.promise;
    await bob.tokens.rotate();
    await alice.messages.send(handles.bob, 'after');

    await listening;
    expect(seen).toEqual(['before', 'after']);
  });

  it('stop arriving when the token was revoked', async () => {
    const { bob } = await makeTwoFriends(server.url, {});
    const running = bob.events.run();
    const outcome = failureOf(running);
    await bob.tokens.revoke();

    expect(await outcome).toMatchObject({ code: expect.stringMatching(/^(stream_unauthorized|no_credential)$/) });
  });
});
