import { freshDatabase } from '@agent-platform/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Installation, type Instance, makeInstallation, register } from '../../../testing/installation.ts';
import { minute } from '../../platform/clock.ts';
import { newId } from '../../platform/crypto.ts';
import { formatCredits } from './credits.ts';

describe.each(['pglite', 'postgresql'] as const)('an operator on %s', (store) => {
  let installation: Installation;
  let server: Instance;
  beforeAll(async () => {
    installation = makeInstallation(
      store === 'pglite' ? {} : { DATABASE_URL: await freshDatabase(inject('postgresUrl')) },
    );
    server = await installation.start();
  });
  afterAll(() => installation.stop());

  const json = async (...words: string[]) => (await installation.operator(...words, '--json')).json();

  it('grants credits, which the log reports', async () => {
    await register(server.url, 'alice');
    const granted = await json('credits', 'grant', 'alice', '12345');

    expect(granted).toEqual({
      agent: { id: expect.any(String), handle: 'alice' },
      amount_minor: 12_345,
      operation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      transaction_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      changed: true,
      available_minor: 12_345,
      reserved_minor: 0,
    });
    expect(server.logged()).toMatch(/"command":"credits grant".*"amount_minor":12345/);
  });

  it('grants once for an operation id, and exits 0 each time', async () => {
    await register(server.url, 'once');
    const operationId = newId();
    const grant = (amount: string, id = operationId) =>
      installation.operator('credits', 'grant', 'once', amount, '--operation-id', id);

    expect(await grant('700')).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining('Granted 7.00 credits to once'),
    });
    expect(await grant('700', operationId.toUpperCase())).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining('Nothing was granted'),
    });
    expect(await grant('701')).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('already granted another amount or to another agent'),
    });
    expect(await json('credits', 'grant', 'once', '700', '--operation-id', operationId)).toMatchObject({
      changed: false,
      available_minor: 700,
    });
  });

  it.each([
    [['nobody', '5'], 1],
    [['alice', '0'], 2],
    [['alice', '1.5'], 2],
    [['alice', 'all'], 2],
    [['alice', '1000000000001'], 2],
    [['alice', '5', '--operation-id', 'x'], 2],
    [['alice'], 2],
  ] as const)('refuses to grant %j with exit code %d', async (words, exitCode) => {
    expect((await installation.operator('credits', 'grant', ...words)).exitCode).toBe(exitCode);
  });

  it('verifies the ledger and shows figures', async () => {
    // This run skips all existing entries, so it does not count as the last verification.
    expect(await json('ledger', 'verify', '--since', '2999-01-01')).toMatchObject({ right: true });
    expect(await json('ledger', 'verify', '--since', 'last')).toMatchObject({ right: true, since: null });
    const proof = await installation.operator('ledger', 'verify');
    expect(proof).toMatchObject({ exitCode: 0, out: expect.stringContaining('The ledger is consistent') });
    expect(await json('ledger', 'verify')).toMatchObject({
      right: true,
      transactions: 2,
      entries: 4,
      wallets: 2,
      orders: 0,
      totals_minor: { issued: 13_045, available: 13_045, reserved: 0, fees: 0 },
      faults: [],
    });
    expect(await json('stats')).toMatchObject({
      agents: { active: 2, suspended: 0 },
      orders: { offered: 0, closed: 0 },
      credits_minor: { issued: 13_045, available: 13_045 },
    });
    expect((await installation.operator('stats')).out).toMatch(/credits issued +130\.45/);
  });

  it('verifies the changes since the last verification', async () => {
    expect(await json('ledger', 'verify', '--since', '2026-01-01')).toMatchObject({ right: true, transactions: 2 });
    const last = (await json('ledger', 'verify', '--since', 'last')) as { readonly since: string };
    expect(last).toMatchObject({ right: true, transactions: 2 });
    // The next check starts 10 minutes earlier, to include transactions that were open during this one.
    expect(Date.now() - Date.parse(last.since)).toBeGreaterThanOrEqual(10 * minute);
    const before = Date.now();
    expect(await json('ledger', 'verify', '--since', '2999-01-01')).toMatchObject({ right: true, transactions: 0 });
    const next = (await json('ledger', 'verify', '--since', 'last')) as { readonly since: string };
    // The earlier run did not advance this time, so the entries that it skipped are verified now.
    expect(before - Date.parse(next.since)).toBeGreaterThanOrEqual(10 * minute);
    expect((await installation.operator('ledger', 'verify', '--since', 'ever')).exitCode).toBe(2);
  });

  it('reports ledger faults with exit code 1', async () => {
    await server.store.transact((writer) =>
      writer.updateTable('wallets').set({ available_minor: 1 }).where('available_minor', '=', 700).execute(),
    );
    const proof = await installation.operator('ledger', 'verify');
    expect(proof).toMatchObject({
      exitCode: 1,
      out: expect.stringContaining('The ledger is inconsistent, 2 fault(s)'),
    });
    expect(proof.out).toMatch(/wallet \S+: it has 1 available and 0 reserved, but its entries sum to 700 and 0/);
    expect(await json('ledger', 'verify')).toMatchObject({ right: false, fault_count: 2 });
    // There is no verified point any more, so everything is verified again.
    expect(await json('ledger', 'verify', '--since', 'last')).toMatchObject({ right: false, since: null });
  });
});

describe('credits', () => {
  it.each([
    [0, '0.00'],
    [5, '0.05'],
    [110, '1.10'],
    [-123_456, '-1234.56'],
  ])('of %d minor units are shown as %s', (minor, shown) => {
    expect(formatCredits(minor)).toBe(shown);
  });
});
