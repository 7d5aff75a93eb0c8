import type { Check } from '../../context/check.ts';
import { expect, expectMember, expectRefusal, expectStatus, isTimestamp, isUuid } from '../../context/expectations.ts';
import { historyPath, walletPath } from '../../context/paths.ts';
import { isSameId } from '../../context/records.ts';
import { ensureCredits } from '../../fixtures/contacts/leases.ts';
import { entriesSince, expectWallet, readBalance, readHistory, sumOf } from '../../fixtures/orders/ledger-check.ts';
import { actInSequence, expectInteger, makeOffer, orderParties, priceOf } from '../../fixtures/orders/ordering.ts';
import { fillHistory } from '../orders/order-filling.ts';
import { malformedCodes } from '../transport/errors.ts';

// Stated: the largest integer of 64 bits.
const int64Max = '9223372036854775807';
// What a run of orders needs, so that the program of the hook is started once for all of it.
const purseMinor = 300;

/** The own credits and their ledger. */
export const walletChecks: readonly Check[] = [
  {
    id: 'wallet.fields',
    covers: ['AP-WALLET-001', 'AP-WALLET-002', 'AP-WALLET-003', 'AP-WALLET-004', 'AP-TRANSPORT-004'],
    rule: 'A wallet states its unit and three integer amounts; the total is the sum of the others.',
    async judge(run) {
      for (const agent of [await run.primaryAgent(), await run.partnerAgent()]) {
        const { seen, available, reserved } = await readBalance(run, agent);
        const wallet = expectWallet(seen);
        const fixed = { environment: 'test', unit: 'test_credit', minor_per_credit: 100 };
        const never = { can_purchase: false, can_withdraw: false };
        for (const [name, value] of Object.entries({ ...fixed, ...never })) expectMember(wallet, name, value, seen);
        expect(available >= 0 && reserved >= 0, 'an account is below zero', seen);
      }
    },
  },
  {
    id: 'wallet.query',
    covers: ['AP-WALLET-005'],
    rule: 'The wallet accepts no query: any query is 400 invalid_input.',
    async judge(run) {
      const { token } = await run.primaryAgent();
      expectWallet(await run.send({ path: walletPath, token }));
      for (const query of ['mood=fine', 'before=1', 'limit=50', 'bot_id=x']) {
        expectRefusal(await run.send({ path: `${walletPath}?${query}`, token }), 400, 'invalid_input');
      }
    },
  },
  {
    id: 'wallet.access',
    covers: ['AP-WALLET-017'],
    rule: 'Without a token or with an invalid token wallet and history are 401.',
    async judge(run) {
      const { token } = await run.primaryAgent();
      for (const path of [walletPath, historyPath]) {
        expectStatus(await run.send({ path, token }), 200);
        expectRefusal(await run.send({ path }), 401, 'unauthorized');
        expectRefusal(await run.send({ path, token: `${token}A` }), 401, 'unauthorized');
      }
    },
  },
  {
    id: 'wallet.history-bounds',
    covers: ['AP-WALLET-008', 'AP-WALLET-012', 'AP-WALLET-013'],
    rule: 'The history accepts only before, a 64-bit integer from 1, and limit from 1 to 100.',
    async judge(run) {
      const agent = await run.primaryAgent();
      for (const query of [
        '',
        'before=1',
        `before=${int64Max}`,
        'limit=1',
        'limit=100',
        `before=${int64Max}&limit=2`,
      ]) {
        await readHistory(run, agent, query);
      }
      expect((await readHistory(run, agent, 'before=1')).entries.length === 0, 'an entry precedes the first');
      const wrong = ['before=0', 'before=-1', 'before=1.5', 'before=x', 'limit=0', 'limit=101', 'limit=1.5', 'limit=x'];
      for (const query of wrong) {
        const answer = await run.send({ path: `${historyPath}?${query}`, token: agent.token });
        expectRefusal(answer, 400, ...malformedCodes);
      }
    },
  },
  {
    id: 'wallet.grant',
    covers: ['AP-WALLET-006', 'AP-WALLET-007', 'AP-WALLET-010', 'AP-WALLET-014'],
    rule: 'A grant appears in the wallet and in the history of its agent with the kind grant, and in no other.',
    cost: { creditsMinor: purseMinor },
    needs: ['credits'],
    async judge(run) {
      const agent = await run.primaryAgent();
      const other = await run.partnerAgent();
      const read = async () => ({
        own: await readBalance(run, agent),
        entries: await readHistory(run, agent),
        foreign: await readBalance(run, other),
        foreignEntries: await readHistory(run, other),
      });
      const before = await read();
      // One at least, where an earlier run left enough.
      const granted = Math.max(1, purseMinor - before.own.available);
      await ensureCredits(run, agent, before.own.available + granted);
      const after = await read();
      expect(after.own.available === before.own.available + granted, 'the granted amount differs', after.own.seen);
      expect(after.own.reserved === before.own.reserved, 'the reserved amount has changed', after.own.seen);
      const { entries, seen } = after.entries;
      const came = entriesSince(before.entries.entries, entries, seen);
      expect(sumOf(came, seen) === granted, `the new entries sum to ${sumOf(came, seen)} instead of ${granted}`, seen);
      for (const entry of came) expectMember(entry, 'kind', 'grant', seen);
      expect(after.foreign.available === before.foreign.available, 'another agent has the grant', after.foreign.seen);
      const { entries: foreign, seen: foreignSeen } = after.foreignEntries;
      const strange = entriesSince(before.foreignEntries.entries, foreign, foreignSeen);
      expect(strange.length === 0, 'another agent sees the grant in its history', foreignSeen);
    },
  },
  {
    id: 'wallet.reserve-entries',
    covers: ['AP-WALLET-009', 'AP-WALLET-016'],
    rule: 'A reserve has two entries of a single transaction on two accounts that sum to zero.',
    cost: { writes: 4, creditsMinor: 100 },
    needs: ['credits'],
    async judge(run) {
      const market = await orderParties(run);
      const { totalMinor } = priceOf(5, market.feeBps);
      await ensureCredits(run, market.customer, totalMinor);
      const before = await readHistory(run, market.customer);
      const offer = await makeOffer(run, market, 'customer', 5);
      const order = await actInSequence(run, market, offer, [['accept', 'contractor']]);
      const { entries, seen } = await readHistory(run, market.customer);
      await actInSequence(run, market, order, [
        ['propose-refund', 'contractor'],
        ['approve-refund', 'customer'],
      ]);
      const came = entriesSince(before.entries, entries, seen);
      for (const entry of came) {
        expect(isUuid(entry['transaction_id']), '"transaction_id" is not a UUID', seen);
        const { kind, account_kind: account, created_at: at } = entry as { readonly [name: string]: unknown };
        expect(typeof kind === 'string' && typeof account === 'string', 'an entry has no kind', seen);
        expect(isTimestamp(at), '"created_at" is not a timestamp', seen);
        expect('operation_id' in entry, '"operation_id" is absent', seen);
        expect(isSameId(entry['order_id'], offer.id), '"order_id" is not that of the order', seen);
      }
      const deltas = came.map((entry) => expectInteger(entry, 'delta_minor', seen)).toSorted((one, two) => one - two);
      const isMoved = deltas.length === 2 && deltas[0] === -totalMinor && deltas[1] === totalMinor;
      expect(isMoved, `the new entries are ${deltas.join(' and ')} and not ${-totalMinor} and ${totalMinor}`, seen);
      const count = (name: string) => new Set(came.map((entry) => entry[name])).size;
      expect(count('account_kind') === 2, 'both entries belong to the same account', seen);
      expect(count('transaction_id') === 1, 'the entries belong to different transactions', seen);
    },
  },
];

/** What takes a long history; made when the orders have written one. */
export const walletHistoryChecks: readonly Check[] = [
  {
    id: 'wallet.history-pages',
    covers: ['AP-WALLET-011', 'AP-WALLET-013', 'AP-WALLET-015'],
    rule: 'The pages of the history equal the whole history: 50 entries by default, each page continuing after the previous page.',
    cost: { writes: 54, creditsMinor: 100 },
    needs: ['credits'],
    async judge(run) {
      const market = await orderParties(run);
      await fillHistory(run, market, 51);
      const whole = await readHistory(run, market.customer);
      const usual = await readHistory(run, market.customer, '');
      const text = (entries: readonly unknown[]) => JSON.stringify(entries);
      expect(
        text(usual.entries) === text(whole.entries.slice(0, 50)),
        'these are not the newest 50 entries',
        usual.seen,
      );
      expect(usual.next !== undefined, 'next_before is null although older entries exist', usual.seen);
      let before: number | undefined;
      for (let at = 0; at < whole.entries.length; at += 30) {
        const query = before === undefined ? 'limit=30' : `before=${before}&limit=30`;
        const page = await readHistory(run, market.customer, query);
        const wanted = whole.entries.slice(at, at + 30);
        expect(text(page.entries.slice(0, wanted.length)) === text(wanted), 'the page has other entries', page.seen);
        expect(page.next === undefined || page.next !== before, 'next_before does not change', page.seen);
        if (page.next === undefined) {
          const isEnd = at + page.entries.length >= whole.entries.length && whole.next === undefined;
          expect(isEnd, 'next_before is null before the end', page.seen);
        }
        before = page.next;
      }
      const last = await readHistory(run, market.customer, 'before=1');
      expect(last.next === undefined, 'next_before is not null at the end', last.seen);
    },
  },
];
