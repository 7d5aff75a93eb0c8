import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Machine, type ReferenceServer, setUpMachine, startReferenceServer } from '../../../testing/agentp.ts';
import { type Friends, makeFriends } from '../../../testing/friends.ts';

let server: ReferenceServer;
let machine: Machine;
let friends: Friends;
let picture: string;

beforeAll(async () => {
  server = await startReferenceServer();
  machine = setUpMachine(server.url);
  friends = await makeFriends(machine, server);
  picture = join(machine.home, 'dot.png');
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  await writeFile(picture, Buffer.from(png, 'base64'));
});
afterAll(() => server.stop());

const asAlice = ['--profile', 'alice'];
const asBob = ['--profile', 'bob_1'];
const operationId = '0a3c2f0e-6f43-4d0e-9c39-0d2c1c8f7b11';

function offering(...more: string[]): string[] {
  return ['orders', 'create', '--contractor', friends.bobId, '--title', 'A thumbnail', '--deadline', '3d', ...more];
}

async function available(): Promise<unknown> {
  return (await machine.data(['wallet', 'show', '--fields', 'available_minor', ...asAlice]))['available_minor'];
}

/** Creates Bob's offer to Alice, who has to confirm its price: 11 credits in total. */
async function offerOfBob(): Promise<string> {
  const words = ['orders', 'create', '--customer', friends.aliceId, '--title', 'A chart', '--deadline', '12h'];
  return String((await machine.data([...words, '--amount', '10', ...asBob]))['id']);
}

describe('an order', () => {
  it('proceeds from quote to payout with files in both directions, as the ledger shows', async () => {
    const before = await available();
    const quote = await machine.data(['orders', 'quote', '--amount', '12.50', ...asAlice]);
    expect(quote).toMatchObject({ amount_minor: 1_250, fee_minor: 125, total_minor: 1_375 });

    const terms = [
      '--amount-minor',
      '1250',
      '--confirm-total',
      '13.75',
      '--attach',
      picture,
      '--description',
      'Small.',
    ];
    const offer = await machine.data([...offering(...terms), ...asAlice]);
    expect(offer).toMatchObject({ state: 'offered', input_attachments: [{ filename: 'dot.png' }] });
    const id = String(offer['id']);
    expect(await machine.data(['orders', 'accept', id, ...asBob])).toMatchObject({ state: 'funded', version: 2 });
    expect(await machine.data(['orders', 'start', id, '--expected-version', '2', ...asBob])).toMatchObject({
      state: 'in_progress',
    });
    const delivery = ['orders', 'deliver', id, 'Here it is.', '--attach', picture];
    expect(await machine.data([...delivery, ...asBob])).toMatchObject({
      state: 'delivered',
      result_text: 'Here it is.',
      result_attachments: [{ available: true }],
    });
    expect(await machine.data(['orders', 'complete', id, '--yes', ...asAlice])).toMatchObject({ outcome: 'accepted' });

    expect(await available()).toBe(Number(before) - 1_375);
    const shown = await machine.data(['orders', 'show', id, '--fields', 'events.action,next_actions', ...asAlice]);
    expect(shown['events']).toHaveLength(5);
    const history = await machine.data(['wallet', 'history', '--limit', '2', ...asAlice]);
    expect(history).toMatchObject({ entries: [{ order_id: id }, { order_id: id }], has_more: true });
    expect(await machine.data(['wallet', 'history', '--all', ...asAlice])).toMatchObject({ has_more: false });
  });

  it('is cancelled, rejected, disputed and refunded', async () => {
    const before = await available();
    const one = String(
      (await machine.data([...offering('--amount', '10', '--confirm-total', '11'), ...asAlice]))['id'],
    );
    expect(await machine.data(['orders', 'cancel', one, ...asAlice])).toMatchObject({ state: 'cancelled' });
    expect(await machine.data(['orders', 'reject', await offerOfBob(), ...asAlice])).toMatchObject({
      state: 'rejected',
    });

    const id = await offerOfBob();
    await machine.data(['orders', 'accept', id, '--confirm-total-minor', '1100', ...asAlice]);
    await machine.data(['orders', 'dispute', id, '--reason', 'Too late.', ...asAlice]);
    const reason = ['--reason-file', '-'];
    expect(
      await machine.data(['orders', 'propose-refund', id, ...reason, ...asBob], { stdin: 'I was ill.\n' }),
    ).toMatchObject({ refund_proposal: { reason: 'I was ill.' } });
    const approval = ['orders', 'approve-refund', id, '--yes'];
    expect(await machine.error([...approval, ...asBob])).toMatchObject({ code: 'counterparty_required', exitCode: 3 });
    expect(await machine.data([...approval, ...asAlice])).toMatchObject({ outcome: 'refunded' });
    expect(await available()).toBe(before);
    expect(await machine.data(['orders', 'list', '--state', 'closed', ...asBob])).toMatchObject({
      orders: [{ id }, {}],
    });
  });
});

describe('a price', () => {
  it('needs a confirmation option if there is no terminal', async () => {
    const before = await machine.data(['orders', 'list', ...asAlice]);
    const words = offering('--amount', '10');
    expect(await machine.error([...words, ...asAlice])).toMatchObject({
      code: 'usage',
      exitCode: 2,
      message: expect.stringContaining('The price is 11.00 credits: 10.00 credits for the contractor and 1.00'),
      hint: 'Add: --confirm-total-minor 1100; see agentp orders create --help',
    });
    expect(await machine.data(['orders', 'list', ...asAlice])).toEqual(before);

    const id = await offerOfBob();
    expect(await machine.error(['orders', 'accept', id, ...asAlice])).toMatchObject({ code: 'usage', exitCode: 2 });
    expect(await machine.error(['orders', 'accept', id, '--confirm-total', '10', ...asAlice])).toMatchObject({
      code: 'price_changed',
      exitCode: 5,
    });
    // The contractor of an offer pays nothing and confirms nothing.
    const offer = await machine.data([...offering('--amount', '1', '--confirm-total', '1.10'), ...asAlice]);
    expect(await machine.data(['orders', 'accept', String(offer['id']), ...asBob])).toMatchObject({ state: 'funded' });
  });

  it('is shown and confirmed on a terminal', async () => {
    const id = await offerOfBob();
    const no = await machine.runOnTerminal(['orders', 'accept', id, ...asAlice], { stdin: 'no\n' });
    expect([no.exitCode, no.stdout]).toEqual([2, '']);
    expect(no.stderr).toContain('Acting on version 1 (offered).');
    expect(no.stderr).toContain('The price is 11.00 credits');

    const yes = await machine.runOnTerminal(['orders', 'accept', id, ...asAlice], { stdin: 'yes\n' });
    expect(yes.exitCode).toBe(0);
    expect(yes.stdout).toMatch(/^A chart\n {2}id /);
    expect(yes.stdout).toMatch(/\n {2}state +funded, version 2\n/);
    expect(yes.stdout).toMatch(/\n {2}price +11\.00 credits: 10\.00 for the contractor, 1\.00 commission \(10 %\)\n/);
    expect(yes.stdout).toMatch(
      /\nNext: bob_1 has to act\nPossible: dispute, propose-refund\nNot possible now: 7 actions;/,
    );
    const all = await machine.runOnTerminal(['orders', 'show', id, '--all-actions', ...asAlice]);
    expect(all.stdout).toMatch(/\nNot possible now\n {2}accept +no: only when offered\n/);
    expect(all.stdout).toMatch(/\n {2}start +no: only for the contractor\n/);
  });

  it('above the balance is reported beside the action, with the missing amount', async () => {
    const words = ['orders', 'create', '--customer', friends.aliceId, '--title', 'Gold', '--deadline', '90m'];
    const id = String((await machine.data([...words, '--amount', '1000', ...asBob]))['id']);
    const shown = await machine.runOnTerminal(['orders', 'show', id, ...asAlice]);
    expect(shown.stdout).toMatch(/\nNext: accept, but [\d.]+ credits are missing\n/);
    expect(shown.stdout).toMatch(/\nVERSION +TIME +BY +ACTION +STATE/);
    expect(await machine.error(['orders', 'accept', id, '--confirm-total', '1100', ...asAlice])).toMatchObject({
      code: 'insufficient_funds',
      exitCode: 5,
    });
  });
});

describe('a dry run', () => {
  it('shows request and price of an offer, and sends nothing', async () => {
    const before = await machine.data(['orders', 'list', ...asAlice]);
    const words = offering(
      '--amount',
      '10',
      '--confirm-total',
      '11',
      '--attach',
      picture,
      '--operation-id',
      operationId,
    );
    const told = await machine.data([...words, '--dry-run', ...asAlice]);

    expect(told).toMatchObject({
      dry_run: true,
      request: {
        method: 'POST',
        path: '/api/v1/orders',
        body: { operation_id: operationId, contractor_id: friends.bobId, confirmed_total_minor: 1_100 },
      },
      files_to_upload: [picture],
      quote: { total_minor: 1_100 },
      would_succeed: true,
      problems: [],
    });
    expect(await machine.data(['orders', 'list', ...asAlice])).toEqual(before);
  });

  it('shows the result of an action, or the reason why it is not available', async () => {
    const id = await offerOfBob();
    const accept = ['orders', 'accept', id, '--confirm-total', '11', '--dry-run', ...asAlice];
    expect(await machine.data(accept)).toMatchObject({
      dry_run: true,
      request: { path: `/api/v1/orders/${id}/accept`, body: { expected_version: 1, confirmed_total_minor: 1_100 } },
      next_action: { action: 'accept', possible: true, nextState: 'funded' },
    });
    expect(await machine.data(['orders', 'start', id, '--dry-run', ...asBob])).toMatchObject({
      next_action: { possible: false, reason: 'state' },
      would_succeed: false,
      problems: [{ code: 'state_conflict' }],
    });
    const shown = await machine.runOnTerminal([
      'orders',
      'cancel',
      id,
      '--expected-version',
      '9',
      '--dry-run',
      ...asBob,
    ]);
    expect(shown.stdout).toMatch(/^Dry run: nothing was sent\n/);
    expect(shown.stdout).toContain('the order is at version 1, not 9 (version_conflict)');
    expect(await machine.data(['orders', 'show', id, '--fields', 'order.state', ...asBob])).toEqual({
      order: { state: 'offered' },
    });
  });
});

describe('an operation id', () => {
  it('makes two identical commands take effect once', async () => {
    const id = await offerOfBob();
    const words = ['orders', 'cancel', id, '--operation-id', operationId, '--expected-version', '1', ...asBob];
    const first = await machine.data(words);

    expect(await machine.data(words)).toEqual(first);
    const [, other] = [id, await offerOfBob()];
    const again = ['orders', 'cancel', other, '--operation-id', operationId, ...asBob];
    expect(await machine.error(again)).toMatchObject({ code: 'idempotency_conflict', exitCode: 5 });
  });
});

describe('watching', () => {
  it('prints a line for each change for programs, and the order with its actions for people', async () => {
    const id = await offerOfBob();
    const watching = machine.run(['orders', 'watch', id, '--fields', 'version,state', ...asAlice]);
    await machine.data(['orders', 'reject', id, ...asAlice]);
    const { exitCode, stdout } = await watching;
    const lines = stdout.trim().split('\n');

    expect(exitCode).toBe(0);
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ version: 2, state: 'rejected' });
    const shown = await machine.runOnTerminal(['orders', 'watch', id, ...asAlice]);
    expect(shown.stdout).toMatch(/\n {2}state +rejected, version 2\n/);
    expect(shown.stdout).toContain('The order is rejected; no action is left.');
    expect(await machine.error(['orders', 'watch', friends.aliceId, ...asAlice])).toMatchObject({ code: 'not_found' });
  });
});

describe('the command line', () => {
  it('sends nothing for a wrong command line', async () => {
    const id = friends.aliceId;
    for (const words of [
      ['orders', 'quote'],
      ['orders', 'quote', '--amount', '1.234'],
      ['orders', 'quote', '--amount', '1', '--amount-minor', '100'],
      ['orders', 'quote', '--amount-minor', '1.5'],
      ['orders', 'quote', '--amount-minor', '4.9999999999999999999999'],
      ['orders', 'quote', '--amount', '4.9999999999999999999999'],
      ['orders', 'create', '--title', 'x', '--deadline', '1d', '--amount', '1'],
      ['orders', 'create', '--contractor', id, '--customer', id, '--title', 'x', '--deadline', '1d', '--amount', '1'],
      ['orders', 'create', '--customer', id, '--title', 'x', '--deadline', 'tomorrow', '--amount', '1'],
      ['orders', 'create', '--customer', id, '--title', 'x', '--deadline', '2027-01-01', '--amount', '1'],
      ['orders', 'create', '--customer', id, '--title', 'x', '--deadline', '1d'],
      ['orders', 'deliver', id],
      ['orders', 'deliver', id, 'x', '--text-file', 'y'],
      ['orders', 'dispute', id],
      ['orders', 'dispute', id, '--reason', 'x', '--reason-file', 'y'],
      ['orders', 'start', id, '--expected-version', '0'],
      ['orders', 'start', id, '--operation-id', 'again'],
      ['orders', 'list', '--state', 'open'],
      ['wallet', 'history', '--limit', 'all'],
    ]) {
      expect(await machine.error([...words, ...asBob]), words.join(' ')).toMatchObject({ code: 'usage', exitCode: 2 });
    }
  });

  it('shows lists and the wallet to people', async () => {
    const list = await machine.runOnTerminal(['orders', 'list', '--limit', '1', ...asAlice], { columns: 120 });
    expect(list.stdout).toMatch(/^ID +STATE +ROLE +WITH +TOTAL +DEADLINE +TITLE\n[0-9a-f-]{36} /);
    expect(list.stderr).toContain('More entries: --limit 2, or --all');
    const wallet = await machine.runOnTerminal(['wallet', 'show', ...asAlice]);
    expect(wallet.stdout).toMatch(
      /^[\d.]+ credits \(test\)\n {2}available +[\d.]+\n {2}reserved +[\d.]+\n {2}total +[\d.]+\n$/,
    );
    const history = await machine.runOnTerminal(['wallet', 'history', ...asAlice], { columns: 120 });
    expect(history.stdout).toMatch(/^TIME +KIND +ACCOUNT +CREDITS +ORDER\n/);
    expect(history.stdout).toMatch(/grant +available +\+100\.00/);
    const quote = await machine.runOnTerminal(['orders', 'quote', '--amount', '10', ...asAlice]);
    expect(quote.stdout).toContain('commission           1.00 (10 %)');
  });
});
