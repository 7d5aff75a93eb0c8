import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ReferenceServer, setUpMachine, startReferenceServer } from '../../../testing/agentp.ts';
import { makeFriends } from '../../../testing/friends.ts';
import { startLosingProxy } from '../../../testing/losing-proxy.ts';

let server: ReferenceServer;
beforeAll(async () => {
  server = await startReferenceServer();
});
afterAll(() => server.stop());

describe('the other side', () => {
  it('is accepted by handle, and an offer after a block shows why it cannot be accepted', async () => {
    const other = await setUpMachine(server.url);
    onTestFinished(() => other.close());
    await makeFriends(other, server, ['erin', 'frank']);
    const [asErin, asFrank] = [
      ['--profile', 'erin'],
      ['--profile', 'frank'],
    ];
    const words = ['orders', 'create', '--contractor', 'frank', '--title', 'x', '--deadline', '1h', '--amount', '1'];
    const { id } = await other.data([...words, '--confirm-total', '1.10', ...asErin]);
    await other.data(['contacts', 'block', 'frank', '--yes', ...asErin]);

    expect((await other.runOnTerminal(['orders', 'show', String(id), ...asFrank])).stdout).toMatch(
      /\n {2}accept +no: you are not friends \(blocked\)\n/,
    );
    expect(await other.error(['orders', 'accept', String(id), ...asFrank])).toMatchObject({
      code: 'friendship_required',
      exitCode: 3,
    });
  });
});

describe('a command whose answer is lost', () => {
  it('has a hint how to find out, and one effect, repeated or resumed', async () => {
    const proxy = await startLosingProxy(server.url);
    const other = await setUpMachine(proxy.url);
    onTestFinished(async () => {
      await other.close();
      await proxy.close();
    });
    const { bobId } = await makeFriends(other, { ...server, url: proxy.url }, ['carol', 'dave']);
    const asCarol = ['--profile', 'carol'];
    const words = ['orders', 'create', '--contractor', bobId, '--title', 'x', '--deadline', '1h', '--amount', '1'];
    const id = String((await other.data([...words, '--confirm-total', '1.10', ...asCarol]))['id']);

    proxy.lose(/\/cancel$/);
    const lost = await other.error(['orders', 'cancel', id, ...asCarol]);
    expect(lost).toMatchObject({ code: 'operation_pending', exitCode: 9 });
    expect(lost['hint']).toMatch(
      /^To find out the result: agentp orders resume, or repeat the command with --operation-id \S+ --expected-version 1$/,
    );
    expect(await other.data(['orders', 'resume', ...asCarol])).toMatchObject({
      resumed: [{ operation: 'cancelOrder', order_id: id, outcome: 'pending', code: 'operation_pending' }],
    });
    proxy.lose(undefined);
    const repeat = String(lost['hint']).split(' with ')[1]?.split(' ') ?? [];
    expect(await other.data(['orders', 'cancel', id, ...repeat, ...asCarol])).toMatchObject({
      state: 'cancelled',
      version: 2,
    });
    expect(await other.data(['orders', 'resume', ...asCarol])).toEqual({ resumed: [] });
  });
});
