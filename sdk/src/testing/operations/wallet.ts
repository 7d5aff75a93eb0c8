import * as api from '@agent-platform/contract';
import { makeReply, type OperationTable } from '../operation-table.ts';
import { FakeRefusal } from '../refusal.ts';
import type { FakeAgent, FakeDatabase } from '../world.ts';

export function mountWallet(table: OperationTable, world: FakeDatabase): void {
  table.on(api.readWallet, ({ caller }) => makeReply(200, { wallet: showWallet(caller) }));
  table.on(api.readWalletHistory, ({ caller, query: { before = Number.POSITIVE_INFINITY, limit } }) => {
    const own = world.entries.filter(({ agentId, number }) => agentId === caller.id && number < before).toReversed();
    const shown = own.slice(0, limit);
    const next_before = own.length > limit ? (shown.at(-1)?.number ?? null) : null;
    const entries = shown.map(({ number: _, agentId: __, ...entry }) => entry);
    return makeReply(200, { entries, next_before });
  });
}

function showWallet({ availableMinor, reservedMinor }: FakeAgent): api.Wallet {
  return {
    environment: 'test',
    unit: 'test_credit',
    minor_per_credit: api.limits.minorPerCredit,
    available_minor: availableMinor,
    reserved_minor: reservedMinor,
    total_minor: availableMinor + reservedMinor,
    can_purchase: false,
    can_withdraw: false,
  };
}

/** Each agent has two accounts; the platform's accounts are not stored. */
interface Posting {
  readonly agent: FakeAgent;
  readonly kind: api.LedgerEntryKind;
  readonly account_kind: api.AccountKind;
  readonly delta_minor: number;
}

function post(
  world: FakeDatabase,
  { order_id, operation_id }: Pick<api.LedgerEntry, 'order_id' | 'operation_id'>,
  postings: readonly Posting[],
): void {
  const [transaction_id, created_at] = [world.newId(), world.timestamp()];
  for (const { agent, kind, account_kind, delta_minor } of postings) {
    // Postings of 0 are omitted (§6.9).
    if (delta_minor === 0) continue;
    if (account_kind === 'available') agent.availableMinor += delta_minor;
    else agent.reservedMinor += delta_minor;
    const number = world.entries.length + 1;
    const entry = { transaction_id, operation_id, kind, account_kind, order_id, delta_minor, created_at };
    world.entries.push({ ...entry, number, agentId: agent.id });
  }
}

export function grantCredits(world: FakeDatabase, agent: FakeAgent, amountMinor: number): void {
  const posting = { agent, kind: 'grant', account_kind: 'available', delta_minor: amountMinor } as const;
  post(world, { order_id: null, operation_id: world.newId() }, [posting]);
}

export function moveCredits(
  world: FakeDatabase,
  movement: api.MoneyMovement,
  order: Pick<api.Order, 'id' | 'amount_minor' | 'fee_minor' | 'total_minor' | 'customer' | 'contractor'>,
  operation_id: string,
): void {
  const { amount_minor, fee_minor, total_minor } = order;
  const [customer, contractor] = [world.agent(order.customer.id), world.agent(order.contractor.id)];
  const move = (agent: FakeAgent, kind: api.LedgerEntryKind, account_kind: api.AccountKind, delta_minor: number) => ({
    agent,
    kind,
    account_kind,
    delta_minor,
  });
  if (movement === 'reserve' && customer.availableMinor < total_minor) {
    throw new FakeRefusal('insufficient_funds', `The available credits do not cover ${total_minor} minor units.`);
  }
  const postings = {
    reserve: [move(customer, 'reserve', 'available', -total_minor), move(customer, 'reserve', 'reserved', total_minor)],
    refund: [move(customer, 'refund', 'reserved', -total_minor), move(customer, 'refund', 'available', total_minor)],
    payout: [
      move(customer, 'payout', 'reserved', -amount_minor),
      move(contractor, 'payout', 'available', amount_minor),
      move(customer, 'fee', 'reserved', -fee_minor),
    ],
  };
  post(world, { order_id: order.id, operation_id }, postings[movement]);
}
