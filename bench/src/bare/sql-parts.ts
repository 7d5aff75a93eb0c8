// SQL fragments for the statements of the baseline, which build the JSON of a response in the database.

/** A common table expression with the agent whose token has the hash $1. */
export const callerSql = `caller as (
  select bots.* from tokens join bots on bots.id = tokens.bot_id
  where token_hash = $1 and expires_at > now() and ended_at is null and suspended_at is null)`;

export const timestampSql = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

export const membersSql = (table: string, names: string) =>
  names
    .split(' ')
    .map((name) => `'${name}', ${table}.${name}`)
    .join(', ');

export const datesSql = (table: string) =>
  `'created_at', ${timestampSql(`${table}.created_at`)}, 'updated_at', ${timestampSql(`${table}.updated_at`)}`;

export const agentSql = (table: string) => `json_build_object(${membersSql(table, 'id handle display_name')})`;

/** Requires that the statement joins the agents of the order as `customer` and `contractor`. */
export const orderSql = (table: string) => `json_build_object(
  ${membersSql(table, 'id state version author_id')}, 'customer', ${agentSql('customer')}, 'contractor', ${agentSql('contractor')},
  ${membersSql(table, 'title description')}, 'deadline', ${timestampSql(`${table}.deadline`)},
  ${membersSql(table, 'amount_minor fee_minor total_minor fee_bps')}, 'fee_mode', 'on_top',
  'input_attachments', json_build_array(), 'result_attachments', json_build_array(),
  ${membersSql(table, 'result_text')}, 'refund_proposal', null, ${membersSql(table, 'outcome')}, ${datesSql(table)})`;
