import { type Check, defineCheck, primaryAgent } from '../../context/check.ts';
import { expect, isSameId, isTimestamp, isUuid } from '../../context/expectations.ts';
import { historyPath, walletPath } from '../../context/paths.ts';
import { makeInvalidTokenClient } from '../access-check.ts';
import { ensureCredits } from '../contacts/agent-pairs.ts';
import { amountOf, entriesSince, expectWallet, readBalance, readHistory, statedTextOf, sumOf } from './ledger-check.ts';
import { orderParties } from './ordering.ts';

// The specified maximum, the largest 64-bit integer.
const int64Max = '9223372036854775807';
const aboveInt64 = '9223372036854775808';
// Enough credits for all orders of a run, so that the hook runs only once.
const fundsMinor = 300;

export const walletChecks: readonly Check[] = [
  {
    id: 'wallet.fields',
    covers: ['AP-WALLET-001', 'AP-WALLET-002', 'AP-WALLET-003', 'AP-WALLET-004', 'AP-TRANSPORT-004'],
    rule: 'A wallet states its unit and three integer amounts; the total is the sum of the others.',
    async judge(run) {
      for (const agent of [await run.primaryAgent(), await run.partnerAgent()]) {
        const exchange = await agent.get(walletPath);
        const wallet = expectWallet(exchange);
        const unit = { environment: 'test', unit: 'test_credit', minor_per_credit: 100 };
        await run.requirement('AP-WALLET-001', () => expect.members(wallet, unit, exchange));
        await run.requirement('AP-WALLET-004', () =>
          expect.members(wallet, { can_purchase: false, can_withdraw: false }, exchange),
        );
        const names = ['available_minor', 'reserved_minor', 'total_minor'];
        const amounts = await run.requirement(['AP-WALLET-002', 'AP-TRANSPORT-004'], () => {
          const found = names.map((name) => expect.integer(wallet, name, exchange));
          expect(Math.min(...found) >= 0, 'an account has a negative balance', exchange);
          return found;
        });
        const [available = 0, reserved = 0, total = 0] = amounts ?? [];
        await run.requirement('AP-WALLET-003', () =>
          expect(total === available + reserved, `total_minor is not ${available} + ${reserved}`, exchange),
        );
      }
    },
  },
  defineCheck(primaryAgent, {
    id: 'wallet.query',
    covers: ['AP-WALLET-005'],
    rule: 'The wallet accepts no query: any query is 400 invalid_input.',
    async judge(agent) {
      expectWallet(await agent.get(walletPath));
      for (const query of ['mood=fine', 'before=1', 'limit=50', 'bot_id=x']) {
        expect.refusal(await agent.get(`${walletPath}?${query}`), 400, 'invalid_input');
      }
    },
  }),
  defineCheck(primaryAgent, {
    id: 'wallet.access',
    covers: ['AP-WALLET-017'],
    rule: 'Without a token or with an invalid token wallet and history are 401.',
    async judge(agent, run) {
      const stranger = await makeInvalidTokenClient(run, `${agent.token}A`);
      for (const path of [walletPath, historyPath]) {
        expect.status(await agent.get(path), 200);
        expect.unauthorized(await run.anonymous.get(path));
        expect.unauthorized(await stranger.get(path));
      }
    },
  }),
  defineCheck(primaryAgent, {
    id: 'wallet.history-bounds',
    covers: ['AP-WALLET-012', 'AP-WALLET-008', 'AP-WALLET-013', 'AP-WALLET-020'],
    rule: 'The history accepts only before, a 64-bit integer from 1, and limit from 1 to 100.',
    async judge(agent, run) {
      const { entries, exchange } = await readHistory(run, agent, '');
      await run.requirement('AP-WALLET-008', () => expect(Array.isArray(entries), '"entries" is not a list', exchange));
      const judge = (requirement: string, valid: readonly string[], wrong: readonly string[]) =>
        run.requirement(requirement, async () => {
          for (const query of valid) expect.status(await agent.get(`${historyPath}?${query}`), 200);
          for (const query of wrong) expect.malformed(await agent.get(`${historyPath}?${query}`));
        });
      const bounds = ['before=1', `before=${int64Max}`, `before=${int64Max}&limit=2`];
      await judge('AP-WALLET-012', bounds, [
        'before=0',
        'before=-1',
        'before=1.5',
        'before=x',
        'before=1x',
        `before=${aboveInt64}`,
      ]);
      await judge(
        'AP-WALLET-013',
        ['limit=1', 'limit=100'],
        ['limit=0', 'limit=101', 'limit=1.5', 'limit=x', 'limit=1x'],
      );
      await run.requirement('AP-WALLET-020', async () => expect.refused(await agent.get(`${historyPath}?mood=fine`)));
      await run.requirement('AP-WALLET-012', async () => {
        const first = await readHistory(run, agent, 'before=1');
        expect(first.entries.length === 0, 'there is an entry before the first', first.exchange);
      });
    },
  }),
  {
    id: 'wallet.grant',
    covers: ['AP-WALLET-006', 'AP-WALLET-007', 'AP-WALLET-010', 'AP-WALLET-014'],
    rule: 'A grant appears in the wallet and in the history of its agent with the kind grant, and in no other.',
    cost: { creditsMinor: fundsMinor },
    needs: ['credits'],
    async judge(run) {
      const [agent, bob] = [await run.primaryAgent(), await run.partnerAgent()];
      const read = async () => ({
        own: await readBalance(run, agent),
        ownHistory: await readHistory(run, agent),
        foreign: await readBalance(run, bob),
        foreignHistory: await readHistory(run, bob),
      });
      const before = await read();
      // Grants at least one minor unit, because this check needs a grant, even if an earlier run left enough credits.
      const granted = Math.max(1, fundsMinor - before.own.available);
      await ensureCredits(run, agent, before.own.available + granted);
      const after = await read();
      const { exchange } = after.ownHistory;
      await run.requirement('AP-WALLET-007', () => {
        expect(after.own.reserved === before.own.reserved, 'the reserve has changed', after.own.exchange);
        const added = entriesSince(before.ownHistory.entries, after.ownHistory.entries, exchange);
        expect(added.length > 0, 'the history contains no entry for the grant', exchange);
        for (const entry of added) expect.member(entry, 'kind', 'grant', exchange);
      });
      await run.requirement('AP-WALLET-014', () => {
        const isGranted = after.own.available === before.own.available + granted;
        expect(isGranted, 'another amount was granted', after.own.exchange);
        const added = entriesSince(before.ownHistory.entries, after.ownHistory.entries, exchange);
        const sum = sumOf(added, exchange);
        expect(sum === granted, `the new entries add up to ${sum} and not ${granted}`, exchange);
      });
      const { foreign, foreignHistory } = after;
      await run.requirement('AP-WALLET-006', () =>
        expect(foreign.available === before.foreign.available, 'another agent received the grant', foreign.exchange),
      );
      await run.requirement('AP-WALLET-010', () => {
        const others = entriesSince(before.foreignHistory.entries, foreignHistory.entries, foreignHistory.exchange);
        expect(others.length === 0, 'the history of another agent contains the grant', foreignHistory.exchange);
      });
    },
  },
  defineCheck(orderParties, {
    id: 'wallet.reserve-entries',
    covers: ['AP-WALLET-009', 'AP-WALLET-016'],
    rule: 'A reserve has two entries of a single transaction on two accounts that sum to zero.',
    cost: { writes: 4, creditsMinor: 100 },
    async judge(parties, run) {
      await parties.fund(5);
      const before = await readHistory(run, parties.customer);
      const offer = await parties.offer('customer', 5);
      const order = await offer.act('accept', 'contractor');
      const { entries, exchange } = await readHistory(run, parties.customer);
      await order.refund();
      const added = entriesSince(before.entries, entries, exchange);
      await run.requirement('AP-WALLET-009', () => {
        for (const entry of added) {
          expect(isUuid(entry['transaction_id']), '"transaction_id" is not a UUID', exchange);
          for (const name of ['kind', 'account_kind']) {
            expect(typeof entry[name] === 'string', `"${name}" is not a text`, exchange);
          }
          expect(isTimestamp(entry['created_at']), '"created_at" is not a timestamp', exchange);
          expect('operation_id' in entry, '"operation_id" is absent', exchange);
          expect(isSameId(entry['order_id'], offer.id), '"order_id" is not that of the order', exchange);
          amountOf(entry, exchange);
        }
      });
      await run.requirement('AP-WALLET-016', () => {
        const { totalMinor } = offer.price;
        const deltas = added.map((entry) => amountOf(entry, exchange)).toSorted((a, b) => a - b);
        const isMoved = deltas.length === 2 && deltas[0] === -totalMinor && deltas[1] === totalMinor;
        const wanted = `${-totalMinor} and ${totalMinor}`;
        expect(isMoved, `the new entries are ${deltas.join(' and ')} and not ${wanted}`, exchange);
        const count = (name: string) => new Set(added.map((entry) => entry[name])).size;
        expect(count('account_kind') === 2, 'both entries belong to the same account', exchange);
        expect(count('transaction_id') === 1, 'the two entries belong to different transactions', exchange);
      });
    },
  }),
];

const historyPagesMax = 50;

/** Runs after the order checks, because they fill the history. */
export const walletHistoryCheck: Check = defineCheck(orderParties, {
  id: 'wallet.history-pages',
  covers: ['AP-WALLET-011', 'AP-WALLET-013', 'AP-WALLET-015'],
  rule: 'The pages of the history equal the whole history: 50 entries by default, each page continuing after the previous page.',
  cost: { writes: 54, creditsMinor: 100 },
  async judge(parties, run) {
    const { customer } = parties;
    let whole = await readHistory(run, customer);
    // An order adds two entries for its reserve and two for its refund.
    for (let orders = 0; whole.entries.length < 51; orders += 1) {
      const { exchange } = whole;
      await run.precondition('AP-WALLET-016', () =>
        expect(orders < 51, 'the history does not grow with orders', exchange),
      );
      await (await parties.acceptedOrder()).refund();
      whole = await readHistory(run, customer);
    }
    const usual = await readHistory(run, customer, '');
    await run.requirement('AP-WALLET-013', () => {
      const isUsual = usual.entries.length === 50;
      expect(isUsual, `there are ${usual.entries.length} entries instead of 50`, usual.exchange);
    });
    await run.requirement('AP-WALLET-011', () => {
      const dates = whole.entries.map((entry) => Date.parse(String(entry['created_at'])));
      const isNewestFirst = dates.every((date, at) => at === 0 || date <= (dates[at - 1] ?? date));
      expect(isNewestFirst, 'the entries are not listed newest first', whole.exchange);
    });
    await run.requirement('AP-WALLET-015', async () => {
      expect(usual.next !== undefined, 'there are older entries, and next_before is null', usual.exchange);
      let before: number | undefined;
      for (let at = 0; at < whole.entries.length; at += 30) {
        const query = before === undefined ? 'limit=30' : `before=${before}&limit=30`;
        const page = await readHistory(run, customer, query);
        const wanted = whole.entries.slice(at, at + 30);
        const isWanted = statedTextOf(page.entries.slice(0, wanted.length)) === statedTextOf(wanted);
        expect(isWanted, 'the page contains different entries', page.exchange);
        expect(page.next === undefined || page.next !== before, 'next_before does not change', page.exchange);
        if (page.next === undefined) {
          // The last page may extend beyond `whole`, which contains only the longest page.
          const isEnd = at + page.entries.length >= whole.entries.length + (whole.next === undefined ? 0 : 1);
          expect(isEnd, 'next_before is null before the end', page.exchange);
        }
        before = page.next;
      }
      const beyond = await readHistory(run, customer, 'before=1');
      expect(beyond.next === undefined, 'next_before is not null at the end', beyond.exchange);
      let [last, start] = [whole, ''];
      for (let pages = 1; last.next !== undefined && pages < historyPagesMax; pages += 1) {
        start = `before=${last.next}&`;
        last = await readHistory(run, customer, `${start}limit=100`);
      }
      if (last.next !== undefined || last.entries.length < 2) return;
      const allButOne = await readHistory(run, customer, `${start}limit=${last.entries.length - 1}`);
      expect(allButOne.next !== undefined, 'one entry is left, and next_before is null', allButOne.exchange);
    });
  },
});
