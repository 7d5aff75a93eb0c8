import { type RawBuilder, sql } from 'kysely';
import { formatTimestamp } from '../store/decode.ts';
import type { Reader } from '../store/store.ts';

export interface ActFilter {
  readonly agentId?: string | undefined;
  /** A command, or the first word of a command. */
  readonly command?: string | undefined;
  readonly user?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

interface ListedAct {
  readonly id: string;
  readonly created_at: string;
  readonly system_user: string;
  readonly sudo_user: string | null;
  readonly command: string;
  readonly agent: { readonly id: string; readonly handle: string | null } | null;
  readonly subject: string | null;
  readonly reason: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

interface StoredAct extends Omit<ListedAct, 'created_at' | 'agent' | 'details' | `${string}_user`> {
  readonly user_name: string;
  readonly sudo_name: string | null;
  readonly created_at: Date | string;
  readonly agent_id: string | null;
  readonly handle: string | null;
  /** This is JSON text, because not all database drivers parse JSON. */
  readonly details: string;
}

/** Lists the newest acts first. */
export async function listActs(reader: Reader, filter: ActFilter) {
  const { limit } = filter;
  const { rows } = await sql<StoredAct>`
    select acts.id, acts.created_at, acts.user_name, acts.sudo_name, acts.command, acts.agent_id, bots.handle,
           acts.subject, acts.reason, acts.details::text as details
    from operator_acts acts left join bots on bots.id = acts.agent_id
    where ${sql.join(conditionsOf(filter), sql` and `)}
    order by acts.id desc limit ${limit + 1}`.execute(reader);
  return { acts: rows.slice(0, limit).map(show), hasMore: rows.length > limit };
}

function conditionsOf({ agentId, command, user, since, until, after }: ActFilter): readonly RawBuilder<unknown>[] {
  return [
    sql`true`,
    ...(agentId === undefined ? [] : [sql`acts.agent_id = ${agentId}`]),
    ...(command === undefined ? [] : [sql`(acts.command = ${command} or starts_with(acts.command, ${`${command} `}))`]),
    ...(user === undefined ? [] : [sql`${user} in (acts.user_name, acts.sudo_name)`]),
    ...(since === undefined ? [] : [sql`acts.created_at >= ${since}`]),
    ...(until === undefined ? [] : [sql`acts.created_at < ${until}`]),
    // Selects older acts, because ids are ordered by time (§1.23).
    ...(after === undefined ? [] : [sql`acts.id < ${after}`]),
  ];
}

function show({ created_at, agent_id, handle, details, ...act }: StoredAct): ListedAct {
  const agent = agent_id === null ? null : { id: agent_id, handle };
  const { id, user_name: system_user, sudo_name: sudo_user, command, subject, reason } = act;
  return {
    id,
    created_at: formatTimestamp(created_at),
    system_user,
    sudo_user,
    command,
    agent,
    subject,
    reason,
    details: JSON.parse(details),
  };
}
