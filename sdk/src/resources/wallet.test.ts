import { describe, expect, it } from 'vitest';
import { makeTestClient } from '../../testing/client.ts';
import { failureOf } from '../../testing/records.ts';
import { replyJson, serveScript } from '../../testing/scripted-server.ts';

const part = (deltas: readonly number[], next_before: number | null) =>
  replyJson(200, { entries: deltas.map((delta_minor) => ({ delta_minor })), next_before });

describe('the history of a wallet', () => {
  it('is one page when awaited, and all pages when iterated over', async () => {
    const server = await serveScript(part([5, 4], 17), part([3], null));
    const { wallet } = makeTestClient(server.url);
    const history = wallet.history({ limit: 2 });

    expect(await history).toMatchObject({ next_before: 17 });
    const deltas: number[] = [];
    for await (const { delta_minor } of history) deltas.push(delta_minor);
    expect(deltas).toEqual([5, 4, 3]);
    expect(server.received.map(({ path }) => path)).toEqual([
      '/api/v1/wallet/history?limit=2',
      '/api/v1/wallet/history?limit=2&before=17',
    ]);
  });

  it('starts at the given number', async () => {
    const server = await serveScript(part([1], null));
    await makeTestClient(server.url).wallet.history({ before: 9 });

    expect(server.received[0]?.path).toBe('/api/v1/wallet/history?limit=50&before=9');
  });

  it('ends with an error if the next pages of the server form a cycle', async () => {
    const server = await serveScript(part([1], 4), part([1], 3), part([1], 4));
    const iterate = async () => {
      for await (const _ of makeTestClient(server.url).wallet.history());
    };

    expect(await failureOf(iterate())).toMatchObject({ code: 'unreadable_answer' });
    expect(server.received).toHaveLength(3);
  });
});
