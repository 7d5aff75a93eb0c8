import type { PoolAgent } from './pool.ts';

/** Two agents, for a check to act with. */
export interface Pair {
  readonly one: PoolAgent;
  readonly other: PoolAgent;
}

/** Two agents that have a contact, of whom `one` asked `other`. */
export interface Meeting extends Pair {
  readonly contactId: string;
}

/** The contacts that came into being in this run; what a run of before made has to be asked for again. */
export interface Meetings {
  note(meeting: Meeting): void;
  /** In whichever order the two are named. */
  find(pair: Pair): Meeting | undefined;
  /** The meetings of one agent, in the order in which they came about. */
  ofAgent(agent: PoolAgent): readonly Meeting[];
}

/** Opens an empty list of meetings. */
export function openMeetings(): Meetings {
  const meetings = new Map<string, Meeting>();
  const keyOf = ({ one, other }: Pair) => [one.id, other.id].toSorted().join(' ');
  return {
    note: (meeting) => {
      meetings.set(keyOf(meeting), meeting);
    },
    find: (pair) => meetings.get(keyOf(pair)),
    ofAgent: ({ id }) => [...meetings.values()].filter(({ one, other }) => one.id === id || other.id === id),
  };
}
