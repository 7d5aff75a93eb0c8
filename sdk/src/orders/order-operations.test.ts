import { describe, expect, it } from 'vitest';
import { makeTestClient } from '../../testing/client.ts';
import { sampleFriendId, sampleOrder } from '../../testing/orders.ts';
import { failureOf } from '../../testing/records.ts';
import {
  breakConnection,
  getClosedPortUrl,
  type Responder,
  replyError,
  replyJson,
  replyText,
  serveScript,
} from '../../testing/scripted-server.ts';
import type { AgentPlatform } from '../agent-platform.ts';

const funded = replyJson(200, { order: { ...sampleOrder, state: 'funded', version: 2 } });
const operationId = '0a3c2f0e-6f43-4d0e-9c39-0d2c1c8f7b11';

async function client(...responders: readonly [Responder, ...Responder[]]) {
  const server = await serveScript(...responders);
  return { platform: makeTestClient(server.url), server };
}

async function idsOf(platform: AgentPlatform): Promise<string[]> {
  return (await platform.orders.pending()).map(({ operation_id }) => operation_id);
}

describe('a command of an order', () => {
  it('contains the version of the order and a new operation id', async () => {
    const { platform, server } = await client(funded);
    await platform.orders.accept(sampleOrder, { confirmed_total_minor: 1_100 });
    await platform.orders.start(sampleOrder);

    const bodies = server.received.map(({ body }) => JSON.parse(body));
    expect(server.received.map(({ path }) => path)).toEqual([
      `/api/v1/orders/${sampleOrder.id}/accept`,
      `/api/v1/orders/${sampleOrder.id}/start`,
    ]);
    expect(bodies[0]).toEqual({
      operation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      expected_version: 1,
      confirmed_total_minor: 1_100,
    });
    expect(bodies[1].operation_id).not.toBe(bodies[0].operation_id);
    expect(await platform.orders.pending()).toEqual([]);
  });

  it.each([
    ['start', (platform: AgentPlatform) => platform.orders.start(sampleOrder), {}],
    ['complete', (platform: AgentPlatform) => platform.orders.complete(sampleOrder), {}],
    ['cancel', (platform: AgentPlatform) => platform.orders.cancel(sampleOrder), {}],
    ['reject', (platform: AgentPlatform) => platform.orders.reject(sampleOrder), {}],
    [
      'deliver',
      (platform: AgentPlatform) => platform.orders.deliver(sampleOrder, { result_text: 'x' }),
      { result_text: 'x' },
    ],
    ['dispute', (platform: AgentPlatform) => platform.orders.dispute(sampleOrder, 'why'), { reason: 'why' }],
    [
      'propose-refund',
      (platform: AgentPlatform) => platform.orders.proposeRefund(sampleOrder, 'why'),
      { reason: 'why' },
    ],
    ['approve-refund', (platform: AgentPlatform) => platform.orders.approveRefund(sampleOrder), {}],
  ])('%s sends the right request', async (action, call, members) => {
    const { platform, server } = await client(funded);
    const { data, response } = await call(platform).withResponse();

    expect([data.state, response.status]).toEqual(['funded', 200]);
    expect(server.received[0]?.path).toBe(`/api/v1/orders/${sampleOrder.id}/${action}`);
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({
      operation_id: expect.any(String),
      expected_version: 1,
      ...members,
    });
  });

  it('is in the outbox while its request is under way', async () => {
    const kept: string[][] = [];
    const { platform } = await client(async (response, request) => {
      kept.push(await idsOf(platform));
      funded(response, request);
    });
    await platform.orders.complete(sampleOrder, { operationId });

    expect(kept).toEqual([[operationId]]);
    expect(await idsOf(platform)).toEqual([]);
  });

  it('is repeated byte for byte while its response is lost, within the call and by resume', async () => {
    const { platform, server } = await client(breakConnection, breakConnection, funded);
    const offer = {
      contractor_id: sampleFriendId,
      title: 'Ü "1"',
      deadline: sampleOrder.deadline,
      amount_minor: 1_000,
    };
    const failure = await failureOf(
      platform.orders.create({ ...offer, confirmed_total_minor: 1_100 }, { operationId, maxRetries: 1 }),
    );

    expect(failure).toMatchObject({ code: 'operation_pending', operationId });
    expect(await idsOf(platform)).toEqual([operationId]);
    expect(await platform.orders.resume()).toMatchObject([{ outcome: 'done', order: { state: 'funded' } }]);
    expect(new Set(server.received.map(({ body }) => body)).size).toBe(1);
    expect(server.received).toHaveLength(3);
    expect(await platform.orders.resume()).toEqual([]);
  });

  it.each([
    ['version_conflict', 409],
    ['insufficient_funds', 409],
    ['counterparty_required', 403],
    ['not_found', 404],
    ['invalid_input', 400],
  ])('that is refused with %s is removed, even after a lost response', async (code, status) => {
    const { platform } = await client(breakConnection, replyError(status, code));

    expect(await failureOf(platform.orders.accept(sampleOrder))).toMatchObject({ name: 'ApiError', code });
    expect(await idsOf(platform)).toEqual([]);
  });

  it.each([
    ['a 401', replyError(401, 'unauthorized'), 'unauthorized'],
    ['a 429', replyError(429, 'write_limited', { 'retry-after': '3600' }), 'write_limited'],
  ])('that fails with %s on its only attempt has had no effect and is not stored', async (_, answer, code) => {
    const { platform } = await client(answer);

    expect(await failureOf(platform.orders.start(sampleOrder))).toMatchObject({ name: 'ApiError', code });
    expect(await idsOf(platform)).toEqual([]);
  });

  it.each([
    ['a 401', replyError(401, 'unauthorized')],
    ['a 429', replyError(429, 'write_limited', { 'retry-after': '3600' })],
    ['a page of somebody else', replyText(404, '<h1>No</h1>')],
    ['a 503', replyError(503, 'unavailable')],
    ['nonsense', replyText(200, 'ok')],
  ])('stays stored when %s follows a lost response, because the first outcome is unknown', async (_, answer) => {
    const { platform } = await client(breakConnection, answer);

    expect(await failureOf(platform.orders.start(sampleOrder, { operationId }))).toMatchObject({
      code: 'operation_pending',
    });
    expect(await idsOf(platform)).toEqual([operationId]);
    expect(await platform.orders.resume({ maxRetries: 0 })).toMatchObject([{ outcome: 'pending' }]);
    expect(await idsOf(platform)).toEqual([operationId]);
    await platform.orders.forget(operationId);
    expect(await idsOf(platform)).toEqual([]);
  });

  it('that was certainly not sent is not stored', async () => {
    const platform = makeTestClient(await getClosedPortUrl());

    expect(await failureOf(platform.orders.start(sampleOrder))).toMatchObject({ code: 'connection_failed' });
    expect(await idsOf(platform)).toEqual([]);
  });

  it('refuses an id that is not a UUID, and sends nothing then', async () => {
    const { platform, server } = await client(funded);

    expect(await failureOf(platform.orders.start(sampleOrder, { operationId: '../x' }))).toMatchObject({
      code: 'invalid_option',
    });
    expect(server.received).toEqual([]);
  });

  it('that is aborted stays stored, and rejects with the reason', async () => {
    const controller = new AbortController();
    const { platform } = await client(() => controller.abort(new Error('enough')));
    const call = platform.orders.start(sampleOrder, { operationId, signal: controller.signal });

    expect(await failureOf(call)).toMatchObject({ message: 'enough' });
    expect(await idsOf(platform)).toEqual([operationId]);
    expect(await failureOf(platform.orders.start(sampleOrder, { signal: controller.signal }))).toMatchObject({
      message: 'enough',
    });
    expect(await idsOf(platform)).toEqual([operationId]);
  });

  it('may be called again with its id while it is pending, but not with other content', async () => {
    const { platform, server } = await client(breakConnection, funded);
    await failureOf(platform.orders.start(sampleOrder, { operationId, maxRetries: 0 }));

    expect(await failureOf(platform.orders.cancel(sampleOrder, { operationId }))).toMatchObject({
      code: 'invalid_option',
    });
    expect(server.received).toHaveLength(1);
    expect(await platform.orders.start(sampleOrder, { operationId })).toMatchObject({ state: 'funded' });
    expect(await idsOf(platform)).toEqual([]);
  });

  it('is resumed in the order of creation, and a refused command does not block later ones', async () => {
    const { platform, server } = await client(
      breakConnection,
      breakConnection,
      replyError(409, 'state_conflict'),
      funded,
    );
    await failureOf(platform.orders.start(sampleOrder, { maxRetries: 0 }));
    await failureOf(platform.orders.complete(sampleOrder, { maxRetries: 0 }));

    expect(await platform.orders.resume()).toMatchObject([
      { outcome: 'refused', error: { code: 'state_conflict' }, operation: { operation: 'startOrder' } },
      { outcome: 'done', order: { version: 2 }, operation: { operation: 'completeOrder' } },
    ]);
    expect(server.received.map(({ path }) => path.split('/').at(-1))).toEqual([
      'start',
      'complete',
      'start',
      'complete',
    ]);
  });

  it('is skipped by resume while its own call is running, and blocks those behind it', async () => {
    const { platform, server } = await client(async (response, request) => {
      expect(await platform.orders.resume()).toEqual([]);
      breakConnection(response, request);
    }, breakConnection);
    await failureOf(platform.orders.start(sampleOrder, { maxRetries: 0 }));
    await failureOf(platform.orders.complete(sampleOrder, { maxRetries: 0 }));

    expect(await platform.orders.resume({ maxRetries: 0 })).toMatchObject([
      { outcome: 'pending', operation: { operation: 'startOrder' } },
      { outcome: 'pending', operation: { operation: 'completeOrder' } },
    ]);
    expect(server.received.map(({ path }) => path.split('/').at(-1))).toEqual(['start', 'complete', 'start']);
  });
});
