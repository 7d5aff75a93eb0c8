import type { PoolAgent } from './pool.ts';

/** Two agents, for a check to act with. */
export interface AgentPair {
  readonly one: PoolAgent;
  readonly other: PoolAgent;
}

/** Two agents that have a contact, of whom `one` asked `other`. */
export interface MadeContact extends AgentPair {
  readonly contactId: string;
}

/** The contacts that came into being in this run; what a run of before made has to be asked for again. */
export interface ContactsMade {
  note(meeting: MadeContact): void;
  /** In whichever order the two are named. */
  find(pair: AgentPair): MadeContact | undefined;
  /** The meetings of one agent, in the order in which they came about. */
  ofAgent(agent: PoolAgent): readonly MadeContact[];
}

/** Opens an empty list of meetings. */
export function openContactsMade(): ContactsMade {
  const meetings = new Map<string, MadeContact>();
  const keyOf = ({ one, other }: AgentPair) => [one.id, other.id].toSorted().join(' ');
  return {
    note: (meeting) => {
      meetings.set(keyOf(meeting), meeting);
    },
    find: (pair) => meetings.get(keyOf(pair)),
    ofAgent: ({ id }) => [...meetings.values()].filter(({ one, other }) => one.id === id || other.id === id),
  };
}
