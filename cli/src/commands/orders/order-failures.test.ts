import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ReferenceServer, setUpMachine, startReferenceServer } from '../../../testing/agentp.ts';
import { makeFriends } from '../../../testing/friends.ts';
import { startLossyProxy } from '../../../testing/losing-proxy.ts';

let server: ReferenceServer;
beforeAll(async () => {
  server = await startReferenceServer();
});
afterAll(() => server.stop());

describe('the other side', () => {
  it('is accepted by handle, and an offer after a block shows why it cannot be accepted', async () => {
    const other = setUpMachine(server.url);
    await makeFriends(other, server, ['erin', 'frank']);
    const [asErin, asFrank] = [
      ['--profile', 'erin'],
      ['--profile', 'frank'],
    ];
    const words = ['orders', 'create', '--contractor', 'frank', '--title', 'x', '--deadline', '1h', '--amount', '1'];
    const { id } = await other.data([...words, '--confirm-total', '1.10', ...asErin]);
    await other.data(['contacts', 'block', 'frank', '--yes', ...asErin]);

    expect((await other.runOnTerminal(['orders', 'show', String(id), ...asFrank])).stdout).toMatch(
      /\nNext: accept, but you are not friends \(blocked\)\n/,
    );
    expect(await other.error(['orders', 'accept', String(id), ...asFrank])).toMatchObject({
      code: 'friendship_required',
      exitCode: 3,
    });
  });
});

describe('a command whose answer is lost', () => {
  it('has a hint that finds its result, and takes effect once when repeated or resumed', async () => {
    const proxy = await startLossyProxy(server.url);
    const other = setUpMachine(proxy.url);
    onTestFinished(() => proxy.close());
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

describe('a dry run', () => {
  it('finds each obstacle to an offer: a stranger, a price, a deadline, files', async () => {
    const other = setUpMachine(server.url);
    await makeFriends(other, server, ['gina', 'henry']);
    const asGina = ['--profile', 'gina'];
    const stranger = await other.register('--public');
    const missing = '01a1fdff-c0dc-7093-b041-e5d4cac41340';
    const terms = ['--title', 'x', '--amount', '10', '--confirm-total', '12', '--deadline', '2020-01-01T00:00:00Z'];
    const files = ['--attach', '/nowhere/file.png', '--attachment', missing];

    const words = ['orders', 'create', '--contractor', stranger, ...terms, ...files, '--dry-run', ...asGina];
    expect(await other.data(words)).toMatchObject({
      would_succeed: false,
      problems: [
        { code: 'friendship_required', message: 'You are not friends (none).' },
        { code: 'invalid_input' },
        { code: 'price_changed' },
        { code: 'file_error' },
        { code: 'invalid_attachment' },
      ],
    });
    await other.data(['contacts', 'request', stranger, ...asGina]);
    await other.data(['contacts', 'block', 'gina', '--yes', '--profile', stranger]);
    expect(await other.data([...words, '--fields', 'problems.message'])).toMatchObject({
      problems: [{ message: 'You are not friends (blocked).' }, {}, {}, {}, {}],
    });
  });
});

describe('a dry run of any operation', () => {
  it('sends no request that changes something', async () => {
    const proxy = await startLossyProxy(server.url);
    const other = setUpMachine(proxy.url);
    onTestFinished(() => proxy.close());
    await makeFriends(other, { ...server, url: proxy.url }, ['kate', 'liam']);
    const file = join(other.home, 'terms.pdf');
    await writeFile(file, 'Never read.');
    const words = ['orders', 'create', '--contractor', 'liam', '--title', 'x', '--deadline', '1h', '--amount', '1'];
    const offer = [...words, '--confirm-total', '1.10', '--profile', 'kate'];
    const id = String((await other.data(offer))['id']);
    proxy.requests.splice(0);

    const asLiam = ['--dry-run', '--profile', 'liam'];
    await other.data([...offer, '--attach', file, '--dry-run']);
    for (const action of ['accept', 'reject', 'start']) await other.data(['orders', action, id, ...asLiam]);
    await other.data(['orders', 'deliver', id, 'Done.', '--attach', file, ...asLiam]);
    for (const action of ['dispute', 'propose-refund']) {
      await other.data(['orders', action, id, '--reason', 'x', ...asLiam]);
    }

    expect(proxy.requests.length).toBeGreaterThan(7);
    expect(proxy.requests.filter((line) => !/^GET |^POST \S+\/quote$/.test(line))).toEqual([]);
  });
});

describe('watching until it is the turn of the agent', () => {
  it('ends with its turn, or fails when the order ends first', async () => {
    const other = setUpMachine(server.url);
    await makeFriends(other, server, ['iris', 'jack']);
    const [asIris, asJack] = [
      ['--profile', 'iris'],
      ['--profile', 'jack'],
    ];
    const words = ['orders', 'create', '--customer', 'iris', '--title', 'x', '--deadline', '1h', '--amount', '1'];
    const id = String((await other.data([...words, ...asJack]))['id']);

    const until = ['orders', 'watch', id, '--until', 'my-turn', '--fields', 'state'];
    expect(await other.run([...until, ...asIris])).toMatchObject({ exitCode: 0, stdout: '{"state":"offered"}\n' });
    const ending = other.run([...until, ...asJack]);
    await other.data(['orders', 'reject', id, ...asIris]);
    expect(await ending).toMatchObject({ exitCode: 10, stdout: expect.stringContaining('"code":"order_ended"') });
  });

  it('reports by its exit code that the time is over, the deadline has passed, or the order is disputed', async () => {
    const other = setUpMachine(server.url);
    await makeFriends(other, server, ['kim', 'leo']);
    const [asKim, asLeo] = [
      ['--profile', 'kim'],
      ['--profile', 'leo'],
    ];
    const offer = async (deadline: string) => {
      const words = ['orders', 'create', '--customer', 'kim', '--title', 'x', '--deadline', deadline, '--amount', '1'];
      return String((await other.data([...words, ...asLeo]))['id']);
    };
    const watch = async (id: string, ...words: string[]) => {
      const { exitCode, stdout } = await other.run(['orders', 'watch', id, ...words, ...asLeo]);
      return [exitCode, JSON.parse(stdout.trim().split('\n').at(-1) ?? '').error.code];
    };
    const id = await offer('1h');
    expect(await watch(id, '--until', 'my-turn', '--wait', '1s')).toEqual([13, 'wait_timeout']);
    expect(await watch(id, '--wait', '1s')).toEqual([13, 'wait_timeout']);
    const brief = await offer(new Date(Date.now() + 5_000).toISOString());
    expect(await watch(brief, '--until', 'my-turn')).toEqual([11, 'deadline_passed']);

    await other.data(['orders', 'accept', id, '--confirm-total', '1.10', ...asKim]);
    await other.data(['orders', 'dispute', id, '--reason', 'x', ...asKim]);
    expect(await watch(id, '--until', 'my-turn')).toEqual([12, 'order_disputed']);
  });
});
