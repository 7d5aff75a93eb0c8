import { type BuildMutant, buildMutant, withTrigger } from '../faulty-build.ts';
import { type StatementFault, withStatements } from '../faulty-statements.ts';

const refunds = ['orders.refund-before-work', 'orders.dispute-after-delivery'];
const take = 'update wallets set available_minor';
const give = 'insert into wallets';

/** Reference servers with one faulty part each, in credits and orders. */
export const tradeBuilds: readonly BuildMutant[] = [
  buildMutant('takes the commission twice', ['offers.made', 'orders.lifecycle-to-refund'], () =>
    withTrigger(
      'orders',
      'before insert',
      'new.fee_minor := new.fee_minor * 2; new.total_minor := new.amount_minor + new.fee_minor; return new;',
    ),
  ),
  buildMutant('rounds commissions down', ['quote.price'], () => ({
    hooks: (http) => {
      http.addHook('preSerialization', async ({ url }, _reply, payload) => {
        if (!url.endsWith('/quote')) return payload;
        const { quote } = payload as { readonly quote: Readonly<Record<string, number>> };
        const { amount_minor: amount = 0, fee_bps: bps = 0 } = quote;
        const fee = Math.floor((amount * bps) / 10_000);
        return { quote: { ...quote, fee_minor: fee, total_minor: amount + fee } };
      });
    },
  })),
  buildMutant('sets credits aside for what is only offered', ['orders.lifecycle-to-payment', 'orders.cover'], () =>
    withTrigger('orders', 'after insert', `${moveReserve('+')} return null;`),
  ),
  buildMutant('gives the reserve back with a dispute', ['orders.dispute-in-progress', ...refunds], () =>
    withTrigger(
      'orders',
      'before update',
      `if new.state = 'disputed' and old.state <> 'disputed' then ${moveReserve('-')} end if; return new;`,
    ),
  ),
  buildMutant('keeps the commission of a refund', ['orders.lifecycle-to-refund'], () =>
    withStatements(() =>
      inWallet(take, (available, reserved) => (available > 0 ? [available - 1, reserved] : undefined)),
    ),
  ),
  buildMutant('refunds nothing', [...refunds, 'orders.refund-in-progress', 'orders.after-a-block'], () =>
    withStatements(() => inWallet(take, (available, reserved) => (available > 0 ? [0, reserved] : undefined))),
  ),
  buildMutant('pays the customer', ['orders.lifecycle-to-payment', 'orders.after-a-block'], () =>
    withStatements(() => async ({ text, values }, send) => {
      const [agentId, available, reserved] = values;
      if (text.startsWith(give)) return await send([agentId, 0, 0]);
      const isPayment = text.startsWith(take) && Number(available) === 0;
      return await send(isPayment ? [agentId, -Number(reserved), reserved] : values);
    }),
  ),
  buildMutant('leaves the reserve when it pays', ['orders.lifecycle-to-payment', 'orders.after-a-block'], () =>
    withStatements(() => inWallet(take, (available) => (available === 0 ? [0, 0] : undefined))),
  ),
  buildMutant('takes without setting aside', ['races.accepts', 'orders.refund-before-work'], () =>
    withStatements(() => inWallet(take, (available, reserved) => (reserved > 0 ? [available, 0] : undefined))),
  ),
  buildMutant('reserves what there is', ['orders.cover', 'races.one-balance'], () =>
    withStatements(() => async ({ text, values }, send) => {
      const rows = await send(values);
      return text.startsWith(take) && rows.length === 0 ? await send([values[0], 0, 0]) : rows;
    }),
  ),
  buildMutant('posts everything twice', ['wallet.grant', 'wallet.reserve-entries', 'orders.lifecycle-to-payment'], () =>
    withTrigger(
      'ledger_entries',
      'after insert',
      `if pg_trigger_depth() = 1 then
         insert into ledger_entries (transaction_id, agent_id, account_kind, kind, delta_minor)
         values (new.transaction_id, new.agent_id, new.account_kind, new.kind, new.delta_minor);
       end if; return null;`,
    ),
  ),
  buildMutant('repeats whatever has the same operation_id', ['offers.repeated', 'orders.changed-commands'], () =>
    withStatements(() => {
      let claimed: unknown;
      return async ({ text, values }, send) => {
        if (text.startsWith('insert into operations')) claimed = values[2];
        const rows = await send(values);
        return text.startsWith('select fingerprint') ? rows.map((row) => ({ ...row, fingerprint: claimed })) : rows;
      };
    }),
  ),
  buildMutant('forgets what was done', ['offers.repeated', 'races.offers', 'orders.lifecycle-to-rejection'], () =>
    withTrigger(
      'operations',
      'after update',
      'delete from operations where agent_id = new.agent_id and operation_id = new.operation_id; return null;',
    ),
  ),
  buildMutant('keeps the version that an order had', ['orders.lifecycle-to-cancellation', 'orders.old-version'], () =>
    withTrigger('orders', 'before update', 'new.version := old.version; return new;'),
  ),
  buildMutant('says 403 of the orders of others', ['orders.strangers'], () => ({
    hooks: (http) => {
      http.addHook('onSend', async ({ url }, reply) => {
        if (url.startsWith('/api/v1/orders/') && reply.statusCode === 404) reply.code(403);
      });
    },
  })),
  buildMutant('has a clock that stands still', ['orders.deadline'], () => ({
    clock: (clock) => {
      const started = clock();
      return () => started;
    },
  })),
  buildMutant('ends orders with a block', ['orders.after-a-block'], () =>
    withTrigger(
      'contacts',
      'after update',
      `if new.state = 'blocked' then
         update orders set state = 'cancelled' where state <> 'closed'
           and least(customer_id, contractor_id) = new.first_id and greatest(customer_id, contractor_id) = new.second_id;
       end if; return null;`,
    ),
  ),
  buildMutant('loses the deadline of an order', ['offers.made'], () =>
    withTrigger('orders', 'before insert', `new.deadline := now() + interval '1 year'; return new;`),
  ),
  buildMutant('writes of every change that the author made it', ['orders.lifecycle-to-payment'], () =>
    withTrigger(
      'order_history',
      'before insert',
      'new.participant_id := (select author_id from orders where id = new.order_id); return new;',
    ),
  ),
];

/** Moves the price of an order between the accounts of its customer: into the reserve, or out of it. */
function moveReserve(sign: '+' | '-'): string {
  const back = sign === '+' ? '-' : '+';
  return `update wallets set available_minor = available_minor ${back} new.total_minor,
    reserved_minor = reserved_minor ${sign} new.total_minor
    where agent_id = new.customer_id and ${sign === '+' ? 'available_minor' : 'reserved_minor'} >= new.total_minor;`;
}

/** Changes what is written into wallets: by how much the two accounts of an agent change. */
function inWallet(
  statement: string,
  change: (available: number, reserved: number) => readonly [available: number, reserved: number] | undefined,
): StatementFault {
  return async ({ text, values }, send) => {
    const [agentId, available, reserved] = values;
    const other = text.startsWith(statement) ? change(Number(available), Number(reserved)) : undefined;
    return await send(other === undefined ? values : [agentId, ...other]);
  };
}
