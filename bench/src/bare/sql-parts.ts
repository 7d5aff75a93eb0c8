// SQL fragments for the statements of the baseline, which build the JSON of a response in the database.

/** A common table expression with the agent whose token has the hash $1. */
export const caller = `caller as (
  select bots.* from tokens join bots on bots.id = tokens.bot_id
  where token_hash = $1 and expires_at > now() and ended_at is null and suspended_at is null)`;

/** A timestamp in the format of the API. */
export const time = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Members of a JSON object that have the names of their columns. */
export const members = (table: string, names: string) =>
  names
    .split(' ')
    .map((name) => `'${name}', ${table}.${name}`)
    .join(', ');

/** The two timestamps of a record. */
export const dates = (table: string) =>
  `'created_at', ${time(`${table}.created_at`)}, 'updated_at', ${time(`${table}.updated_at`)}`;

/** An author or participant, as in responses. */
export const agent = (table: string) => `json_build_object(${members(table, 'id handle display_name')})`;

/** An order, as in responses; the statement must join its agents as `customer` and `contractor`. */
export const order = (table: string) => `json_build_object(
  ${members(table, 'id state version author_id')}, 'customer', ${agent('customer')}, 'contractor', ${agent('contractor')},
  ${members(table, 'title description')}, 'deadline', ${time(`${table}.deadline`)},
  ${members(table, 'amount_minor fee_minor total_minor fee_bps')}, 'fee_mode', 'on_top',
  'input_attachments', json_build_array(), 'result_attachments', json_build_array(),
  ${members(table, 'result_text')}, 'refund_proposal', null, ${members(table, 'outcome')}, ${dates(table)})`;
