import { parseCatalogueTable } from '../../catalogue-mutants.ts';
import { idIn, parseJsonObject } from '../../faults.ts';
import { type FaultyBuild, queryStore } from '../../faulty-build.ts';
import { withFaultyStatements } from '../../faulty-statements.ts';

// Faults inside the server with orders: actions in a wrong state, lost fields, and effects of refused commands.

const pairIsBlocked = `exists (select from contacts where state = 'blocked' and first_id = least(new.customer_id, new.contractor_id) and second_id = greatest(new.customer_id, new.contractor_id))`;

const table = `
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

/** Makes a build that runs a statement after it has refused an order command with this error code. */
function afterRefusal(code: string, statement: (agentId: string, orderId: string) => string): FaultyBuild {
  return {
    hooks: (http, store) => {
      http.addHook('onSend', async (request, _reply, payload) => {
        const error = typeof payload === 'string' ? parseJsonObject(payload)?.['error'] : undefined;
        const isMeant = (error as Row | undefined)?.['code'] === code && request.url.includes('/orders/');
        if (isMeant) await queryStore(store, statement(`${request.agentId}`, idIn(request.url)));
        return payload;
      });
    },
  };
}

export default parseCatalogueTable(table, {
  builds: {
    'accept of more': withFaultyStatements({
      'context-of-action': async (values, send) => {
        const row = await send(values);
        return row && { ...row, available_minor: Number(row['available_minor'] ?? 0) - 100 };
      },
    }),
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
