import { scaleRepetitions } from '@agent-platform/testing';
import { describe, expect, it } from 'vitest';
import { makePng } from '../../testing/files/image-maker.ts';
import { findTablesWith } from '../../testing/find-text.ts';
import { expectNoDeadlocks, waitForBlockedStatement } from '../../testing/locks.ts';
import { makeEnvelope } from '../../testing/scenarios/envelopes.ts';
import {
  advanceOrder,
  makeOffer,
  makeOrderParties,
  type OrderParties,
  offerBody,
  sendAction,
  sendOrder,
} from '../../testing/scenarios/orders.ts';
import { uploadFile } from '../../testing/scenarios/upload.ts';
import { useServerPair } from '../../testing/server-pair.ts';
import type { Answer, TestServer } from '../../testing/test-server.ts';
import { openStorage } from '../attachments/attachments-setup.ts';
import { lockProfile } from '../identity/agent-commands.ts';
import { suspendAgents } from '../identity/suspension-commands.ts';
import { checkLedger } from '../ledger/ledger-check-queries.ts';
import { eraseAgent } from './erase-commands.ts';

let one: TestServer;
let other: TestServer;
useServerPair((...pair) => {
  [one, other] = pair;
});

const rounds = scaleRepetitions(4);
const mark = 'zmarkz';

/**
 * Starts concurrent calls on both servers that could store data of an agent after its erasure. `accepts` of the calls
 * try to accept the offer.
 */
async function everythingAtOnce(
  pair: OrderParties,
  offer: string,
  accepts: number,
): Promise<readonly Promise<Answer>[]> {
  const { contractor: agent, customer: friend } = pair;
  const messages = await Promise.all(
    [1, 2, 3, 4, 5].flatMap(() => [makeEnvelope(one, agent, friend), makeEnvelope(one, friend, agent)]),
  );
  const post = (index: number) => ({ text: `${mark} ${index}`, visibility: 'public', rights_confirmed: true });
  const accept = { expected_version: 1, confirmed_total_minor: 1_100 };
  const upload = () => uploadFile(one.url, agent.token, { file: makePng(9, 9), filename: `${mark}.png` });
  const calls: ((server: TestServer, index: number) => Promise<Answer>)[] = [
    ...messages.map((body) => (server: TestServer) => {
      const { token } = body.recipient_id === friend.id ? agent : friend;
      return server.request('POST', '/api/v1/messages', { token, body });
    }),
    ...Array.from(
      { length: 10 },
      () => (server: TestServer, index: number) =>
        server.request('POST', '/api/v1/posts', { token: agent.token, body: post(index) }),
    ),
    ...Array.from({ length: 10 }, () => (server: TestServer) => sendOrder(server, agent, offerBody(pair))),
    ...Array.from(
      { length: accepts },
      () => (server: TestServer) => sendAction(server, friend, offer, 'accept', accept),
    ),
    ...Array.from(
      { length: 6 },
      () => (server: TestServer, index: number) =>
        server.request('PATCH', '/api/v1/bots/me', { token: agent.token, body: { bio: `${mark} ${index}` } }),
    ),
    ...Array.from({ length: 4 }, () => upload),
    (server) => server.request('POST', '/api/v1/tokens/rotate', { token: agent.token }),
    (server) => server.request('POST', `/api/v1/contacts/${pair.contactId}/block`, { token: friend.token, body: {} }),
  ];
  return calls.map((call, index) => call(index % 2 === 0 ? one : other, index));
}

/** Returns texts, unfinished orders, files and unblocked contacts of an agent. An erasure must leave none of them. */
async function findRemains(agentId: string) {
  return await one.store.read(async (reader) => ({
    tables: await findTablesWith(one.store, mark),
    orders: await reader
      .selectFrom('orders')
      .where('contractor_id', '=', agentId)
      .where('state', 'not in', ['cancelled', 'rejected', 'closed'])
      .select('state')
      .execute(),
    files: await reader
      .selectFrom('attachments')
      .where('owner_id', '=', agentId)
      .where('cleaned_at', 'is', null)
      .select(['state', 'filename'])
      .execute(),
    contacts: await reader.selectFrom('contacts').where('state', '<>', 'blocked').select('state').execute(),
  }));
}

describe('an erasure with concurrent commands', () => {
  it('is complete or has no effect; after it, no order, message, post or file of the agent is accepted', async () => {
    const outcomes: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const pair = await makeOrderParties(one);
      const agent = pair.contractor;
      const offer = await makeOffer(one, pair);
      const { announce, accessChanged } = one.app;
      const parts = { store: one.store, storage: openStorage(one.settings), clock: () => new Date(), announce };
      // In the first round no call accepts the order, so that at least one erasure succeeds.
      const calls = await everythingAtOnce(pair, offer, round === 0 ? 0 : 8);
      // The delay varies, so that the erasure starts before, during and after the first commits.
      await new Promise((resolve) => setTimeout(resolve, round * 15));
      const outcome = await eraseAgent({ ...parts, accessChanged, record: async () => undefined }, agent.id).then(
        ({ changed }) => String(changed),
        (error: unknown) => String(Reflect.get(error as object, 'code')),
      );
      const answers = await Promise.all(calls);
      outcomes.push(outcome);
      for (const { status } of answers) expect(status).not.toBe(500);
      expect((await checkLedger(one.store)).faults).toEqual([]);
      if (outcome === 'true') {
        expect(await findRemains(agent.id)).toEqual({ tables: [], orders: [], files: [], contacts: [] });
        continue;
      }
      // The accepted order prevented the erasure. Erases the agent now, because later rounds must not find its texts.
      expect(outcome).toBe('state_conflict');
      expect(answers.filter(({ body }) => body['order']?.['state'] === 'funded')).toHaveLength(1);
      await eraseAgent({ ...parts, accessChanged, record: async () => undefined }, agent.id, 'keep');
    }
    expect(outcomes[0]).toBe('true');
    await expectNoDeadlocks(one.store);
  });

  it('is refused if an order is offered and accepted after the first check', async () => {
    const pair = await makeOrderParties(one);
    const agent = pair.contractor;
    const { announce, accessChanged } = one.app;
    // A profile change in progress blocks the erasure after its first check.
    const reached = Promise.withResolvers<void>();
    const proceed = Promise.withResolvers<void>();
    const holding = one.store.transact(async (writer) => {
      await writer.selectFrom('bots').where('id', '=', agent.id).select('id').forNoKeyUpdate().execute();
      reached.resolve();
      await proceed.promise;
    });
    await reached.promise;
    const parts = { store: one.store, storage: openStorage(one.settings), clock: () => new Date(), announce };
    const erasing = eraseAgent({ ...parts, accessChanged, record: async () => undefined }, agent.id).catch(
      (error: unknown) => Reflect.get(error as object, 'code'),
    );
    await waitForBlockedStatement(one.store);
    await advanceOrder(one, pair, await makeOffer(one, pair), ['accept']);
    proceed.resolve();
    await holding;

    expect(await erasing).toBe('state_conflict');
    expect(
      await one.store.read((reader) =>
        reader.selectFrom('erasures').where('agent_id', '=', agent.id).selectAll().execute(),
      ),
    ).toEqual([]);
  });

  it('locks agents in id order, like the commands of agents', async () => {
    const agents = [await one.register('first_id'), await one.register('second_id')];
    const [low = '', high = ''] = agents.map(({ id }) => id).toSorted();
    const reached = Promise.withResolvers<void>();
    const proceed = Promise.withResolvers<void>();
    const holding = one.store.transact(async (writer) => {
      await lockProfile(writer, low);
      reached.resolve();
      await proceed.promise;
      await lockProfile(writer, high);
    });
    await reached.promise;
    const parts = { store: one.store, clock: () => new Date(), record: async () => undefined };
    const suspending = suspendAgents(parts, [high, low]);
    await waitForBlockedStatement(one.store);
    proceed.resolve();

    await holding;
    expect((await suspending).map(({ outcome }) => outcome)).toEqual(['changed', 'changed']);
    await expectNoDeadlocks(one.store);
  });

  it('happens once, even if it is requested several times', async () => {
    const { contractor } = await makeOrderParties(one);
    const { announce, accessChanged } = one.app;
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, index) => {
        const { store, settings } = index % 2 === 0 ? one : other;
        const parts = { store, storage: openStorage(settings), clock: () => new Date(), announce, accessChanged };
        return eraseAgent({ ...parts, record: async () => undefined }, contractor.id);
      }),
    );
    expect(outcomes.filter(({ changed }) => changed)).toHaveLength(1);
    await expectNoDeadlocks(one.store);
  });
});

// An order locks text usage rows before agent rows. If a profile change made it wait, the two could deadlock.
it('an order does not wait for a profile change', async () => {
  const pair = await makeOrderParties(one);
  const [held, proceed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const changing = one.store.transact(async (writer) => {
    await lockProfile(writer, pair.contractor.id, 'forNoKeyUpdate');
    held.resolve();
    await proceed.promise;
  });
  await held.promise;
  expect((await sendOrder(other, pair.contractor, offerBody(pair))).status).toBe(201);
  proceed.resolve();
  await changing;
});
