import { sql } from 'kysely';
import { newId } from '../platform/crypto.ts';
import type { Writer } from '../store/store.ts';

/** An operator's act for the audit log; contains no secrets and no texts of agents. */
interface Act {
  readonly agentId?: string;
  /** The id of another subject, such as a post, a file or an invitation. */
  readonly subject?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Records acts in the same transaction as their effects, so that neither is committed without the other. */
export type ActRecorder = (writer: Writer, acts: readonly Act[]) => Promise<void>;

/** The system user that runs a command, as reported by its process. */
export interface SystemUser {
  readonly name: string;
  /** The user who used sudo to become this user. */
  readonly sudoName: string | null;
}

/** The fields that all audit entries of one command share. */
interface ActOrigin {
  readonly command: string;
  readonly by: SystemUser;
  readonly reason: string | null;
  readonly now: () => Date;
}

export function makeActRecorder({ command, by, reason, now }: ActOrigin): ActRecorder {
  return async (writer, acts) => {
    if (acts.length === 0) return;
    const created_at = now().toISOString();
    const rows = acts.map(({ agentId = null, subject = null, details = {} }) => ({
      id: newId(),
      created_at,
      user_name: by.name,
      sudo_name: by.sudoName,
      command,
      reason,
      agent_id: agentId,
      subject,
      details,
    }));
    // Passes all acts in one parameter, so that their number is not limited.
    await sql`
      insert into operator_acts
      select * from json_populate_recordset(null::operator_acts, ${JSON.stringify(rows)}::json)`.execute(writer);
  };
}
