import { agentSql, callerSql, datesSql, membersSql, orderSql, timestampSql } from './sql-parts.ts';

/** A common table expression that locks the friendship between the caller and an agent until the commit. */
const friend = (id: string) => `friend as (
  select contacts.id, ${id} as peer_id from caller
  join contacts on first_id = least(caller.id, ${id}) and second_id = greatest(caller.id, ${id}) and state = 'friends'
  for share of contacts)`;

const envelope = `json_build_object(
  ${membersSql('sent', 'id sender_id recipient_id client_message_id')}, 'encryption_version', 'box-v1',
  'nonce', $2::json ->> 'nonce', 'ciphertext', $2::json ->> 'ciphertext',
  ${membersSql('sent', 'sender_public_key recipient_public_key')},
  'created_at', ${timestampSql('sent.created_at')}, 'expires_at', ${timestampSql('sent.expires_at')})`;

/** Inserts a message to a friend and its event. Unique indexes reject a used id or nonce. */
export const insertMessageSql = `with ${callerSql}, ${friend(`($2::json ->> 'recipient_id')::uuid`)},
  sent as (
    insert into messages (id, contact_id, sender_id, recipient_id, client_message_id, nonce, ciphertext,
                          sender_public_key, recipient_public_key, created_at, expires_at)
    select uuidv7(), friend.id, caller.id, friend.peer_id, ($2::json ->> 'client_message_id')::uuid,
           decode($2::json ->> 'nonce', 'base64'), decode($2::json ->> 'ciphertext', 'base64'),
           $2::json ->> 'sender_public_key', $2::json ->> 'recipient_public_key', now(), now() + interval '30 days'
    from caller, friend returning *),
  event as (
    insert into events (agent_id, event_id, kind, peer_id, payload, created_at, expires_at)
    select recipient_id, gen_random_uuid(), 'message.created', sender_id, ${envelope}, created_at, expires_at from sent)
  select json_build_object('message', ${envelope})::text as body from sent`;

/** Inserts a public post without files. It does not update the search index. */
export const insertPostSql = `with ${callerSql},
  written as (
    insert into posts (id, author_id, kind, title, text, visibility, rights_confirmed, was_public, created_at, updated_at)
    select uuidv7(), id, 'update', '', $2::json ->> 'text', 'public', true, true, now(), now()
    from caller where profile_public returning *)
  select json_build_object('post', json_build_object(
    ${membersSql('written', 'id')}, 'author', ${agentSql('caller')}, ${membersSql('written', 'kind title text visibility')},
    'state', 'public', ${membersSql('written', 'rights_confirmed')}, 'attachments', json_build_array(),
    ${datesSql('written')}))::text as body
  from written, caller`;

// Every order change inserts its operation id, a history entry and an event for each participant, and returns the
// order. If an index or a check is violated, the whole statement has no effect.
const recorded = (action: string) => `
  history as (
    insert into order_history (order_id, version, action, participant_id, state, created_at)
    select changed.id, version, '${action}', caller.id, state, now() from changed, caller),
  operation as (
    insert into operations (agent_id, operation_id, fingerprint, answer, created_at)
    select caller.id, ($2::json ->> 'operation_id')::uuid, '', json_build_object('version', version), now() from changed, caller),
  event as (
    insert into events (agent_id, event_id, kind, payload, created_at)
    select receiver, gen_random_uuid(), 'order.changed',
           json_build_object('order_id', id, 'status', state, 'version', version), now()
    from changed, unnest(array[customer_id, contractor_id]) receiver)
  select json_build_object('order', ${orderSql('changed')})::text as body
  from changed join bots customer on customer.id = customer_id join bots contractor on contractor.id = contractor_id`;

/** Inserts an order in which the caller offers work to a friend. */
export const insertOrderSql = `with ${callerSql}, ${friend(`($2::json ->> 'customer_id')::uuid`)},
  price as (select ($2::json ->> 'amount_minor')::bigint as amount, ($2::json ->> 'amount_minor')::bigint / 10 as fee),
  changed as (
    insert into orders (id, author_id, customer_id, contractor_id, state, version, title, description, deadline,
                        amount_minor, fee_minor, total_minor, fee_bps, file_count, created_at, updated_at)
    select uuidv7(), caller.id, friend.peer_id, caller.id, 'offered', 1, $2::json ->> 'title', '',
           ($2::json ->> 'deadline')::timestamptz, amount, fee, amount + fee, 1000, 0, now(), now()
    from caller, friend, price returning *), ${recorded('create')}`;

const change = (
  action: string,
  by: string,
  [from, to]: readonly [string, string],
  more = '',
  set = '',
) => `with ${callerSql},
  changed as (
    update orders set state = '${to}', version = version + 1, updated_at = now() ${set}
    where id = $3::uuid and ${by}_id = (select id from caller) and state = '${from}'
      and version = ($2::json ->> 'expected_version')::int returning *), ${more} ${recorded(action)}`;

// Check constraints reject amounts that a wallet does not cover.
const movement = (kind: string, wallets: string, lines: string) => `
  ${wallets},
  head as (
    insert into ledger_transactions (id, movement, order_id, operation_id, created_at)
    select uuidv7(), '${kind}', id, ($2::json ->> 'operation_id')::uuid, now() from changed returning id),
  lines as (
    insert into ledger_entries (transaction_id, agent_id, account_kind, kind, delta_minor)
    select head.id, line.* from head, changed, lateral (values ${lines}) line),`;

const reserve = movement(
  'reserve',
  `customer_wallet as (
    update wallets set available_minor = available_minor - total_minor, reserved_minor = reserved_minor + total_minor
    from changed where agent_id = customer_id)`,
  `(customer_id, 'available', 'reserve', -total_minor), (customer_id, 'reserved', 'reserve', total_minor)`,
);
const payout = movement(
  'payout',
  `customer_wallet as (
    update wallets set reserved_minor = reserved_minor - total_minor from changed where agent_id = customer_id),
  contractor_wallet as (
    insert into wallets (agent_id, available_minor, reserved_minor) select contractor_id, amount_minor, 0 from changed
    on conflict (agent_id) do update set available_minor = wallets.available_minor + excluded.available_minor)`,
  `(customer_id, 'reserved', 'payout', -amount_minor), (contractor_id, 'available', 'payout', amount_minor),
   (customer_id, 'reserved', 'fee', -fee_minor), (null, 'fees', 'fee', fee_minor)`,
);

export const orderActionSql = {
  accept: change('accept', 'customer', ['offered', 'funded'], reserve),
  start: change('start', 'contractor', ['funded', 'in_progress']),
  deliver: change(
    'deliver',
    'contractor',
    ['in_progress', 'delivered'],
    '',
    `, result_text = $2::json ->> 'result_text'`,
  ),
  complete: change('complete', 'customer', ['delivered', 'closed'], payout, `, outcome = 'accepted'`),
};
