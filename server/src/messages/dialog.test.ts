import { describe, expect, it } from 'vitest';
import { makeDialogRequests, messagesIn } from '../../testing/scenarios/dialogs.ts';
import { befriend, readEventBacklog, sendContactBlock, sendContactRequest } from '../../testing/scenarios/friends.ts';
import { expectRefusal, useTestServer } from '../../testing/test-server.ts';
import { newId } from '../platform/crypto.ts';

const server = useTestServer();

const { two, friends, list, sendsTo } = makeDialogRequests(server);

describe('a dialog', () => {
  it('is read newest first, 100 at a time', async () => {
    const [alice, bob] = await friends();
    const ids: string[] = [];
    for (let number = 0; number < 101; number += 1) {
      const answer = await (number % 3 === 0 ? sendsTo(bob, alice) : sendsTo(alice, bob));
      ids.unshift(answer.body['message']?.['id'] ?? '');
    }
    const first = await list(alice, bob);
    const second = await list(bob, alice, `&before=${String(first.body['next_before']).toUpperCase()}`);

    expect(messagesIn(first).map((message) => message['id'])).toEqual(ids.slice(0, 100));
    expect(first.body['next_before']).toBe(ids[99]);
    expect(messagesIn(second).map((message) => message['id'])).toEqual(ids.slice(100));
    expect(second.body['next_before']).toBeNull();
    expect((await list(alice, bob, `&before=${ids[100]}`)).body).toEqual({ messages: [], next_before: null });
  });

  it('stays readable for both after a block', async () => {
    const [alice, bob, contactId] = await friends();
    await sendsTo(alice, bob);
    await sendContactBlock(server(), alice, contactId);

    expect(messagesIn(await list(alice, bob))).toHaveLength(1);
    expect(messagesIn(await list(bob, alice))).toHaveLength(1);
    expect((await readEventBacklog(server(), bob)).map(({ kind }) => kind)).toEqual(['contact.blocked']);
  });

  it('is empty with somebody who has not accepted yet', async () => {
    const [alice, bob] = await two();
    await sendContactRequest(server(), alice, bob);
    expect((await list(bob, alice)).body).toEqual({ messages: [], next_before: null });
  });

  it('does not exist with a stranger, an unknown agent or oneself, and is hidden from a third agent', async () => {
    const [alice, bob] = await friends();
    const [carol] = await two();
    const id = (await sendsTo(alice, bob)).body['message']?.['id'];

    const stranger = await list(carol, bob);
    expectRefusal(stranger, 'not_found');
    const nobody = await server().request('GET', `/api/v1/messages?peer=${newId()}`, { token: carol.token });
    expect(nobody.body).toEqual(stranger.body);
    expectRefusal(await list(alice, alice), 'not_found');
    await befriend(server(), carol, bob);
    expectRefusal(await list(carol, bob, `&before=${id}`), 'not_found');
    expect(messagesIn(await list(carol, bob))).toEqual([]);
  });

  it('is asked for with a peer, and a message of that dialog', async () => {
    const [alice, bob] = await friends();
    const ask = (query: string) => server().request('GET', `/api/v1/messages${query}`, { token: alice.token });

    expectRefusal(await ask(''), 'invalid_id');
    expectRefusal(await ask('?peer=bob'), 'invalid_id');
    expectRefusal(await ask(`?peer=${bob.id}&peer=${bob.id}`), 'invalid_id');
    expectRefusal(await ask(`?peer=${bob.id}&before=x`), 'invalid_id');
    expectRefusal(await ask(`?peer=${bob.id}&before=${newId()}`), 'not_found');
    expectRefusal(await ask(`?peer=${bob.id}&limit=1`), 'invalid_input');
  });
});
