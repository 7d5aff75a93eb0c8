import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { hashCall, type PlannedAct, toSortedJson } from '../tools/execute-tool.ts';
import type { ConfirmedTool, Facts, Plan } from '../tools/tool.ts';
import { ToolFailure } from '../tools/tool-failure.ts';

const dayMs = 86_400_000;
const keptMs = 30 * dayMs;
const waitingMax = 100;

export const approvalsTableSql = `
  create table if not exists approvals (
    id text primary key,
    call text not null,
    act text not null,
    state text not null check (state in ('waiting', 'approved', 'refused', 'used')),
    created_ms integer not null,
    expires_ms integer not null
  );
  create index if not exists approvals_by_call on approvals (call, state);
`;

/** The parts of an act to which a decision applies. */
export interface ProposedAct extends Pick<PlannedAct, 'agent' | 'arguments' | 'call'> {
  readonly tool: Pick<ConfirmedTool, 'name'>;
  readonly plan: Pick<Plan, 'facts' | 'endsAt'>;
}

/** An act that waits for a person's approval, or on which a person has decided. */
export interface StoredApproval {
  /** 10 hexadecimal digits. */
  readonly id: string;
  /** `used` once the act was executed or the refusal was reported. */
  readonly state: 'waiting' | 'approved' | 'refused' | 'used';
  readonly agent: { readonly id: string; readonly handle: string };
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** If these values change, such as price, version or agent, the decision no longer applies. */
  readonly facts: Facts;
  readonly question: string;
  readonly created_at: string;
  /** 24 hours after the act was stored, or earlier if the act itself becomes impossible. */
  readonly expires_at: string;
}

/** An agent's acts that wait for a person, stored in the agent's journal. Any process can decide on them. */
export class StoredApprovals {
  readonly #database: DatabaseSync;
  readonly #write: <T>(work: () => T) => T;
  readonly #now: () => number;

  constructor(database: DatabaseSync, write: <T>(work: () => T) => T, now: () => number) {
    this.#database = database;
    this.#write = write;
    this.#now = now;
  }

  /** Returns the acts that are neither used nor expired, oldest first. */
  list(agentId: string): readonly StoredApproval[] {
    return this.#database
      .prepare("select * from approvals where state <> 'used' and expires_ms > ? order by created_ms, id")
      .all(this.#now())
      .map(toApproval)
      .filter(({ agent }) => agent.id === agentId);
  }

  /**
   * Returns an act, even if it is used or expired.
   *
   * @throws ToolFailure `approval_not_found`, `approval_altered`
   */
  get(agentId: string, id: string): StoredApproval {
    const row = this.#database.prepare('select * from approvals where id = ?').get(id);
    const approval = row === undefined ? undefined : toApproval(row);
    if (approval?.agent.id !== agentId) {
      throw new ToolFailure('approval_not_found', `There is no approval "${id}" of this agent.`, listHint);
    }
    if (hashCall(agentId, approval.tool, approval.arguments) === row?.['call']) return approval;
    throw new ToolFailure('approval_altered', `The approval ${id} was changed after it was stored.`, againHint);
  }

  /**
   * Returns an act that can still be decided.
   *
   * @throws ToolFailure `approval_not_found`, `approval_altered`, `approval_used`, `approval_expired`
   */
  getOpen(agentId: string, id: string): StoredApproval {
    const approval = this.get(agentId, id);
    if (approval.state === 'used') throw new ToolFailure('approval_used', `The approval ${id} was used.`, againHint);
    if (Date.parse(approval.expires_at) > this.#now()) return approval;
    throw new ToolFailure('approval_expired', `The approval ${id} expired at ${approval.expires_at}.`, againHint);
  }

  /**
   * Decides on an act. A later decision replaces an earlier one until the act is carried out.
   *
   * @throws ToolFailure as `getOpen`
   */
  decide(agentId: string, id: string, decision: 'approved' | 'refused'): void {
    this.#write(() => {
      this.getOpen(agentId, id);
      this.#database.prepare('update approvals set state = ? where id = ?').run(decision, id);
    });
  }

  /** Stores a waiting act, unless the same act is already waiting. A waiting act with other facts is replaced. */
  propose(act: ProposedAct, question: string): StoredApproval {
    return this.#write(() => {
      const now = this.#now();
      const waiting = this.#find(act.call, "'waiting'");
      if (waiting !== undefined && isSameAct(waiting.facts, act.plan.facts)) return waiting;
      this.#database
        .prepare("delete from approvals where created_ms < ? or (call = ? and state = 'waiting')")
        .run(now - keptMs, act.call);
      if (this.list(act.agent.id).length >= waitingMax) {
        const message = `${waitingMax} acts are already waiting for approval; nothing was stored.`;
        throw new ToolFailure('too_many_approvals', message, 'The user has to decide on them first.');
      }
      const id = randomBytes(5).toString('hex');
      const { agent, tool, arguments: values, plan, call } = act;
      const { facts, endsAt } = plan;
      const stored = JSON.stringify({ agent, tool: tool.name, arguments: values, facts, question });
      const expires = Math.min(now + dayMs, endsAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(endsAt));
      this.#database
        .prepare("insert into approvals values (?, ?, ?, 'waiting', ?, ?)")
        .run(id, call, stored, now, expires);
      return this.get(agent.id, id);
    });
  }

  /** Removes an act that is still waiting. */
  withdraw(id: string): void {
    this.#write(() => this.#database.prepare("delete from approvals where id = ? and state = 'waiting'").run(id));
  }

  /**
   * Uses up the decision on an act, within the caller's transaction. An approval of other facts, such as another price,
   * is also used up but does not approve the act.
   */
  use(act: ProposedAct): 'approved' | 'refused' | undefined {
    const found = this.#find(act.call, "'approved', 'refused'");
    if (found === undefined) return undefined;
    this.#database.prepare("update approvals set state = 'used' where id = ?").run(found.id);
    if (found.state === 'refused') return 'refused';
    return isSameAct(found.facts, act.plan.facts) ? 'approved' : undefined;
  }

  #find(call: string, states: string): StoredApproval | undefined {
    const row = this.#database
      .prepare(`select * from approvals where call = ? and state in (${states}) and expires_ms > ? limit 1`)
      .get(call, this.#now());
    return row === undefined ? undefined : toApproval(row);
  }
}

const listHint = 'List the waiting acts: agentp approvals list';
const againHint = 'Ask the program for the same act again; it stores another approval.';

function toApproval(row: Readonly<Record<string, unknown>>): StoredApproval {
  const { agent, tool, arguments: values, facts, question } = JSON.parse(String(row['act']));
  const [created_at, expires_at] = [row['created_ms'], row['expires_ms']].map((ms) =>
    new Date(Number(ms)).toISOString(),
  );
  return {
    id: String(row['id']),
    state: row['state'] as StoredApproval['state'],
    agent,
    tool,
    arguments: values,
    facts,
    question,
    created_at: created_at ?? '',
    expires_at: expires_at ?? '',
  };
}

// Ignores the operation id, because each plan generates a new one.
function isSameAct(one: Facts, other: Facts): boolean {
  const [first, second] = [one, other].map((facts) => toSortedJson({ ...facts, operation_id: '' }));
  return first === second;
}
