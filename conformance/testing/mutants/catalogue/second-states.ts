import { AsyncLocalStorage } from 'node:async_hooks';
import { catalogueMutants } from '../../catalogue-mutants.ts';
import { idIn, parse } from '../../faults.ts';
import { type FaultyBuild, queryStore } from '../../faulty-build.ts';
import { withStatements } from '../../faulty-statements.ts';

// Orders inside the server: actions in a wrong state, lost fields of an order, and effects of refused commands.

const pairIsBlocked = `exists (select from contacts where state = 'blocked' and first_id = least(new.customer_id, new.contractor_id) and second_id = greatest(new.customer_id, new.contractor_id))`;

const table = `
cancels an accepted order | cancel: offered alone | = cancel funded as offered
rejects an accepted order | reject: offered alone | = reject funded as offered
starts an offer that is not accepted | start: funded alone | = start offered as funded
starts a cancelled order | start: funded alone | = start cancelled as funded
delivers before the start | deliver: in_progress alone | = deliver funded as in_progress
delivers a second time | deliver: in_progress alone, result files are fixed once | = deliver delivered as in_progress
delivers in a dispute | no action resumes work from disputed | = deliver disputed as in_progress
completes before the delivery | complete: delivered alone | = complete in_progress as delivered
completes a disputed order | no action resumes work from disputed | = complete disputed as delivered
disputes an offer | dispute: funded, in_progress, delivered | = dispute offered as funded
disputes a disputed order again | dispute: funded, in_progress, delivered | = dispute disputed as delivered
disputes a closed order | dispute: funded, in_progress, delivered | = dispute closed as delivered
disputes a rejected offer | dispute: funded, in_progress, delivered | = dispute rejected as delivered
proposes a refund of an offer | propose-refund: not in offered | = propose-refund offered as funded
proposes a refund of a closed order | propose-refund: not in closed | = propose-refund closed as delivered
accepts a cancelled offer | accept: offered alone | = accept cancelled as offered
accepts a rejected offer | accept: offered alone | = accept rejected as offered
accepts its own offer | accept: caller is the recipient | = accept of the author
rejects its own offer | reject: caller is the recipient | = reject of the author
cancels the offer of another | cancel: caller is the author | = cancel of the recipient
approves its own refund | approve-refund: the party that did not propose | = own approval
approves a refund that is not proposed | approve-refund: a proposal exists | = approval of nothing
takes a second refund proposal | propose-refund: only one proposal may exist | = second proposal
accepts an offer of an agent that is no friend any more | accept: accepted friends | = accept without friendship
accepts for a suspended agent | accept: both participants active | = accept of inactive
makes offers with a suspended agent | order creation: active participants | = offers of inactive
wants a credit more than the price | accept: the available balance covers total_minor | = accept of more
reserves what there is of a price | insufficient_funds: no partial reserve | = partial reserve
takes over a refused proposal | propose-refund: only one proposal may exist | = refused proposal
announces an accept that failed | order.changed: version and status of the order | = refused accept is announced
ends an order on a refused completion | complete: caller is the customer | = refused completion
counts a refused command as a version | version grows with changes alone | = refused versions
keeps the version on completion | version grows with every change | before update on orders | if new.state = 'closed' then new.version := old.version; end if; return new;
keeps the version of a rejected offer | version grows with every change | before update on orders | if new.state = 'rejected' then new.version := old.version; end if; return new;
loses the result of a closed order | Order: result_text | before update on orders | if new.state = 'closed' then new.result_text := null; end if; return new;
loses the result in a dispute | Order: result_text | before update on orders | if new.state = 'disputed' then new.result_text := null; end if; return new;
keeps 4096 characters of a result | result_text: 8000 | before update on orders | new.result_text := left(new.result_text, 4096); return new;
calls a refund accepted | outcome: accepted or refunded | before update on orders | if new.outcome = 'refunded' then new.outcome := 'accepted'; end if; return new;
closes a disputed order with its proposal | propose-refund: disputed, then approve-refund | before update on orders | if new.refund_proposed_by is not null and old.state = 'disputed' then new.state := 'closed'; new.outcome := 'refunded'; end if; return new;
keeps a proposal of a funded order out of dispute | propose-refund: disputed | before update on orders | if new.state = 'disputed' and old.state = 'funded' and new.refund_proposed_by is not null then new.state := 'funded'; end if; return new;
moves the deadline with each version | Order: deadline | before update on orders | new.deadline := old.deadline + interval '1 day'; return new;
changes the title of an accepted order | Order: title | before update on orders | if old.state = 'offered' then new.title := upper(new.title); end if; return new;
names the author in all of the history | history entry: the participant | before insert on order_history | new.participant_id := coalesce((select author_id from orders where id = new.order_id), new.participant_id); return new;
names the state before in the history | history entry: the state | before insert on order_history | new.state := coalesce((select state from orders where id = new.order_id), new.state); return new;
dates all of the history to the creation | history entry: the time | before insert on order_history | new.created_at := coalesce((select created_at from orders where id = new.order_id), new.created_at); return new;
forgets an approval in the history | order detail: events | after insert on order_history | if new.action = 'approve-refund' then delete from order_history where order_id = new.order_id and version = new.version; end if; return null;
cancels open offers on a block | order obligations stay on a block | after update on contacts | if new.state = 'blocked' then update orders set state = 'cancelled' where state = 'offered' and least(customer_id, contractor_id) = new.first_id and greatest(customer_id, contractor_id) = new.second_id; end if; return null;
puts orders in dispute on a block | order obligations stay on a block | after update on contacts | if new.state = 'blocked' then update orders set state = 'disputed' where state in ('funded', 'in_progress', 'delivered') and least(customer_id, contractor_id) = new.first_id and greatest(customer_id, contractor_id) = new.second_id; end if; return null;
closes no order of a blocked pair | an existing order can be completed after a block | before update on orders | if new.state = 'closed' and ${pairIsBlocked} then new.state := old.state; new.outcome := null; end if; return new;
delivers no result to a blocked pair | order obligations stay on a block | before update on orders | if new.state = 'delivered' and ${pairIsBlocked} then new.state := old.state; new.result_text := null; end if; return new;
`;

type Row = Readonly<Record<string, unknown>>;

/** A build in which one action reads a changed row of its order. */
function finds(action: string, change: (row: Row, agentId: unknown) => Row): () => FaultyBuild {
  return () => {
    const running = new AsyncLocalStorage<string>();
    return {
      ...withStatements({
        'context-of-action': async (values, send) => {
          const row = await send(values);
          return row !== undefined && running.getStore() === action ? change(row, values['agent_id']) : row;
        },
        // The row above only claims a friendship, so it uses the id of the order as the contact.
        'change-order-with-credits': (values, send) =>
          send(values['contact_id'] === values['order_id'] ? { ...values, contact_id: null } : values),
      }),
      hooks: (http) => {
        http.addHook('preHandler', (request, _reply, done) => running.run(`${request.url.split('/').at(-1)}`, done));
      },
    };
  };
}

const states = `cancel funded as offered, reject funded as offered, start offered as funded, start cancelled as funded,
deliver funded as in_progress, deliver delivered as in_progress, deliver disputed as in_progress,
complete in_progress as delivered, complete disputed as delivered, dispute offered as funded,
dispute disputed as delivered, dispute closed as delivered, dispute rejected as delivered,
propose-refund offered as funded, propose-refund closed as delivered, accept cancelled as offered,
accept rejected as offered`;

/** Builds in which an action treats one state as another. */
const mistaken = Object.fromEntries(
  states.split(/,\s+/).map((name) => {
    const [action = '', from, , state] = name.split(' ');
    const ofOffer = (row: Row) =>
      action === 'accept' ? { contact_id: row['id'], available_minor: row['total_minor'] } : {};
    return [
      name,
      finds(action, (row) => (row['state'] === from ? { ...row, state, outcome: null, ...ofOffer(row) } : row)),
    ];
  }),
);

const otherOf = (row: Row, agentId: unknown) =>
  row['customer_id'] === agentId ? row['contractor_id'] : row['customer_id'];
const byOther = (row: Row, agentId: unknown) => ({ ...row, author_id: otherOf(row, agentId) });
const nothingProposed = { refund_proposed_by: null, refund_reason: null, refund_proposed_at: null };

/** A build that runs a statement after it refused an order command with a code. */
function afterRefusal(code: string, statement: (agentId: string, orderId: string) => string): FaultyBuild {
  return {
    hooks: (http, store) => {
      http.addHook('onSend', async (request, _reply, payload) => {
        const error = typeof payload === 'string' ? parse(payload)?.['error'] : undefined;
        const isMeant = (error as Row | undefined)?.['code'] === code && request.url.includes('/orders/');
        if (isMeant) await queryStore(store, statement(`${request.agentId}`, idIn(request.url)));
        return payload;
      });
    },
  };
}

const inactive = { customer_is_active: true, contractor_is_active: true };

export default catalogueMutants(table, {
  builds: {
    ...mistaken,
    'accept of the author': finds('accept', byOther),
    'reject of the author': finds('reject', byOther),
    'cancel of the recipient': finds('cancel', (row, agentId) => ({ ...row, author_id: agentId })),
    'own approval': finds('approve-refund', (row, agentId) =>
      row['refund_proposed_by'] === agentId ? { ...row, refund_proposed_by: otherOf(row, agentId) } : row,
    ),
    'approval of nothing': finds('approve-refund', (row, agentId) => {
      const proposed = {
        refund_proposed_by: otherOf(row, agentId),
        refund_reason: '-',
        refund_proposed_at: new Date(),
      };
      return row['refund_proposed_by'] === null ? { ...row, ...proposed } : row;
    }),
    'second proposal': finds('propose-refund', (row) => ({ ...row, ...nothingProposed })),
    'accept without friendship': finds('accept', (row) => ({ ...row, contact_id: row['contact_id'] ?? row['id'] })),
    'accept of inactive': finds('accept', (row) => ({ ...row, ...inactive })),
    'offers of inactive': withStatements({
      'context-of-creation': async (values, send) => ({ ...(await send(values)), are_active: true }),
    }),
    'accept of more': finds('accept', (row) => ({
      ...row,
      available_minor: Number(row['available_minor'] ?? 0) - 100,
    })),
    'partial reserve': afterRefusal(
      'insufficient_funds',
      (agentId) =>
        `update wallets set reserved_minor = reserved_minor + available_minor, available_minor = 0 where agent_id = '${agentId}'`,
    ),
    'refused proposal': afterRefusal(
      'refund_proposal_exists',
      (agentId, id) => `update orders set refund_proposed_by = '${agentId}' where id = '${id}'`,
    ),
    'refused accept is announced': afterRefusal(
      'price_changed',
      (agentId, id) => `insert into events (agent_id, event_id, kind, payload, created_at)
        select '${agentId}', gen_random_uuid(), 'order.changed',
          json_build_object('order_id', id, 'status', 'funded', 'version', version + 1), now()
        from orders where id = '${id}'`,
    ),
    'refused completion': afterRefusal(
      'forbidden',
      (agentId, id) => `update orders set state = 'closed', outcome = 'accepted', version = version + 1
        where id = '${id}' and state = 'delivered' and contractor_id = '${agentId}'`,
    ),
    'refused versions': afterRefusal(
      'state_conflict',
      (_, id) => `update orders set version = version + 1 where id = '${id}'`,
    ),
  },
});
