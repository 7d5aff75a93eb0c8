import { prepareBatchedQuery } from '../store/statements/batched-statement.ts';
import { orderColumns, orderJoins, type StoredOrder } from './order-queries.ts';

/** The stored operation with the operation id of a command; all members are null if there is none. */
export interface KnownOperation {
  /** Whether the command is a repeat of this operation. */
  readonly is_repeat: boolean | null;
  /** This is JSON text, because not all database drivers parse JSON. */
  readonly answer: string | null;
  readonly done_order_id: string | null;
}

/** The stored data that a decision on an action needs. The order is null if the agent has no order with this id. */
export type ActionContext = KnownOperation & {
  /** Null if the agents are not friends. Queried only for an offer, like `available_minor`. */
  readonly contact_id: string | null;
  readonly available_minor: number | string | null;
} & (StoredOrder | { readonly [Name in keyof StoredOrder]: null });

const operation = { agent_id: 'uuid', operation_id: 'uuid', fingerprint: 'text' } as const;

type Parameter<Name> = (name: Name | keyof typeof operation) => string;

const operationColumns = (parameter: Parameter<never>) => `
  operation.fingerprint = ${parameter('fingerprint')} as is_repeat, operation.answer::text as answer,
  operation.order_id as done_order_id`;

const fromOperation = (parameter: Parameter<never>) => `
  from (select) one left join operations operation
    on operation.agent_id = ${parameter('agent_id')} and operation.operation_id = ${parameter('operation_id')}`;

export const actionContextStatement = prepareBatchedQuery<ActionContext, 'order_id' | keyof typeof operation>(
  'context-of-action',
  { ...operation, order_id: 'uuid' },
  (parameter) => `
    select ${operationColumns(parameter)}, ${orderColumns},
      case when orders.state = 'offered' then (
        select id from contacts where first_id = least(orders.customer_id, orders.contractor_id)
          and second_id = greatest(orders.customer_id, orders.contractor_id) and state = 'friends'
      ) end as contact_id,
      case when orders.state = 'offered' then (
        select available_minor from wallets where agent_id = orders.customer_id
      ) end as available_minor
    ${fromOperation(parameter)}
    left join (orders ${orderJoins}) on orders.id = ${parameter('order_id')}
      and ${parameter('agent_id')} in (orders.customer_id, orders.contractor_id)`,
);

/** The stored data that a decision on a new order needs. The handle of a nonexistent agent is null. */
type CreationContext = KnownOperation & {
  /** Null if the agents are not friends. */
  readonly contact_id: string | null;
  readonly are_active: boolean | null;
  /** The author's open offers to the other agent, counted up to `offers_sought`. */
  readonly open_offers: number;
} & { readonly [Name in `${'customer' | 'contractor'}_${'handle' | 'name'}`]: string | null };

const pair = { ...operation, customer_id: 'uuid', contractor_id: 'uuid', offers_sought: 'bigint' } as const;

export const creationContextStatement = prepareBatchedQuery<CreationContext, keyof typeof pair>(
  'context-of-creation',
  pair,
  (parameter) => `
    select ${operationColumns(parameter)}, contact.id as contact_id,
      customer.handle as customer_handle, customer.display_name as customer_name,
      contractor.handle as contractor_handle, contractor.display_name as contractor_name,
      customer.suspended_at is null and contractor.suspended_at is null as are_active,
      (select count(*)::integer from (
        select from orders where author_id = ${parameter('agent_id')} and customer_id = ${parameter('customer_id')}
          and contractor_id = ${parameter('contractor_id')} and state = 'offered' limit ${parameter('offers_sought')}
      ) offers) as open_offers
    ${fromOperation(parameter)}
    left join bots customer on customer.id = ${parameter('customer_id')}
    left join bots contractor on contractor.id = ${parameter('contractor_id')}
    left join contacts contact on contact.first_id = least(${parameter('customer_id')}, ${parameter('contractor_id')})
      and contact.second_id = greatest(${parameter('customer_id')}, ${parameter('contractor_id')})
      and contact.state = 'friends'`,
);
