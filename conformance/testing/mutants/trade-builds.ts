import { type FaultyBuild, parseBuildTable } from '../faulty-build.ts';
import { type StatementFault, withFaultyStatements } from '../faulty-statements.ts';

const refunds = 'refund-before-work dispute-after-delivery';
const pay = 'change-order-with-credits';

export const tradeBuilds = parseBuildTable(
  'orders',
  `
takes the commission twice | offers.made lifecycle-to-refund | before insert on orders | new.fee_minor := new.fee_minor * 2; new.total_minor := new.amount_minor + new.fee_minor; return new;
sets credits aside for what is only offered | lifecycle-to-payment cover | after insert on orders | ${moveReserve('+')} return null;
gives the reserve back with a dispute | dispute-in-progress ${refunds} | before update on orders | if new.state = 'disputed' and old.state <> 'disputed' then ${moveReserve('-')} end if; return new;
posts everything twice | wallet.grant wallet.reserve-entries lifecycle-to-payment | after insert on ledger_entries | if pg_trigger_depth() = 1 then insert into ledger_entries (transaction_id, agent_id, account_kind, kind, delta_minor) values (new.transaction_id, new.agent_id, new.account_kind, new.kind, new.delta_minor); end if; return null;
forgets what was done | offers.repeated races.offers lifecycle-to-rejection | after insert on operations | delete from operations where agent_id = new.agent_id and operation_id = new.operation_id; return null;
ends orders with a block | after-a-block | after update on contacts | if new.state = 'blocked' then update orders set state = 'cancelled' where state <> 'closed' and least(customer_id, contractor_id) = new.first_id and greatest(customer_id, contractor_id) = new.second_id; end if; return null;
keeps 100 characters of a title | offers.texts | before insert on orders | new.title := left(new.title, 100); return new;
loses the deadline of an order | offers.made | before insert on orders | new.deadline := now() + interval '1 year'; return new;
writes of every change that the author made it | lifecycle-to-payment | before insert on order_history | new.participant_id := (select author_id from orders where id = new.order_id); return new;
rounds commissions down | quote.price | = roundsDown
keeps the commission of a refund | lifecycle-to-refund | = keepsCommission
refunds nothing | ${refunds} refund-in-progress after-a-block | = refundsNothing
pays the customer | lifecycle-to-payment after-a-block | = paysCustomer
leaves the reserve when it pays | lifecycle-to-payment after-a-block | = leavesReserve
takes without setting aside | races.accepts refund-before-work | = takesWithoutReserve
reserves what there is | cover races.one-balance | = reservesWhatThereIs
repeats whatever has the same operation_id | offers.repeated changed-commands | = repeatsOperations
says 403 of the orders of others | strangers | = forbidden
has a clock that stands still | deadline | = stoppedClock
`,
  {
    roundsDown: {
      hooks: (http) => {
        http.addHook('preSerialization', async ({ url }, _reply, payload) => {
          if (!url.endsWith('/quote')) return payload;
          const { quote } = payload as { readonly quote: Readonly<Record<string, number>> };
          const { amount_minor: amount = 0, fee_bps: bps = 0 } = quote;
          const fee = Math.floor((amount * bps) / 10_000);
          return { quote: { ...quote, fee_minor: fee, total_minor: amount + fee } };
        });
      },
    },
    keepsCommission: inWallet((available, reserved) => (available > 0 ? [available - 1, reserved] : undefined)),
    refundsNothing: inWallet((available, reserved) => (available > 0 ? [0, reserved] : undefined)),
    paysCustomer: inWallet((available, reserved) => (available === 0 ? [-reserved, reserved] : undefined), [0, 0]),
    leavesReserve: inWallet((available) => (available === 0 ? [0, 0] : undefined)),
    takesWithoutReserve: inWallet((available, reserved) => (reserved > 0 ? [available, 0] : undefined)),
    reservesWhatThereIs: withFaultyStatements({
      'context-of-action': async (values, send) => ({ ...(await send(values)), available_minor: 1_000_000_000_000 }),
      [pay]: async (values, send) => (await send(values)) ?? (await send({ ...values, wallet_changes: '[]' })),
    }),
    repeatsOperations: withFaultyStatements({ 'context-of-action': isRepeated, 'context-of-creation': isRepeated }),
    forbidden: {
      hooks: (http) => {
        http.addHook('onSend', async ({ url }, reply) => {
          if (url.startsWith('/api/v1/orders/') && reply.statusCode === 404) reply.code(403);
        });
      },
    },
    stoppedClock: {
      clock: (clock) => {
        const started = clock();
        return () => started;
      },
    },
  },
);

async function isRepeated(...[values, send]: Parameters<StatementFault>) {
  const row = await send(values);
  return row?.['is_repeat'] === false ? { ...row, is_repeat: true } : row;
}

/** Returns the statement that moves the price of an order into the customer's reserve (`+`) or out of it (`-`). */
function moveReserve(sign: '+' | '-'): string {
  const back = sign === '+' ? '-' : '+';
  return `update wallets set available_minor = available_minor ${back} new.total_minor, reserved_minor = reserved_minor ${sign} new.total_minor where agent_id = new.customer_id and ${sign === '+' ? 'available_minor' : 'reserved_minor'} >= new.total_minor;`;
}

type Change = readonly [available: number, reserved: number];
type WalletChange = { readonly agentId: string; readonly availableMinor: number; readonly reservedMinor: number };

/** Replaces the changes to the payer's wallet in a payment; `given` replaces the changes to all other wallets. */
function inWallet(change: (...taken: Change) => Change | undefined, given?: Change): FaultyBuild {
  return withFaultyStatements({
    [pay]: async (values, send) => {
      const changes = JSON.parse(String(values['wallet_changes'])) as readonly WalletChange[];
      const faulty = changes.map((wallet) => {
        const { agentId, availableMinor, reservedMinor } = wallet;
        const isTaken = availableMinor < 0 || reservedMinor < 0;
        const other = isTaken ? change(availableMinor, reservedMinor) : given;
        return other === undefined ? wallet : { agentId, availableMinor: other[0], reservedMinor: other[1] };
      });
      return await send({ ...values, wallet_changes: JSON.stringify(faulty) });
    },
  });
}
