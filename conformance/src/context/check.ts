import type { Cost } from './cost.ts';
import type { Profile } from './options.ts';
import type { Run } from './run.ts';

/** What must be there before a check can be made, and is not the server's to give. */
export type Need = 'credits' | 'clock' | 'stream';

/** Judges one rule of the specification; a deviation is thrown. */
export interface Check {
  readonly id: string;
  /** The requirements that this check is about. */
  readonly covers: readonly string[];
  /** The rule, as a sentence. */
  readonly rule: string;
  /** What it asks for at most; what is left out is 0. A test measures it. */
  readonly cost?: Partial<Cost>;
  /** The hooks and addresses without which it is not made. */
  readonly needs?: readonly Need[];
  /** Made only where the run declares this profile. */
  readonly profile?: Profile;
  judge(run: Run): Promise<void>;
}

/** What a server chose where the specification is silent. */
export interface Behaviour {
  readonly observed: string;
  /** Whether the reference server does the same. */
  readonly matchesDecision: boolean;
}

/** Looks at what a server chose where the specification is silent; only a strict run judges it. */
export interface Observation {
  readonly id: string;
  /** The ambiguous requirements that this look is about. */
  readonly covers: readonly string[];
  /** The question that the specification leaves open. */
  readonly question: string;
  /** What it asks for at most; what is left out is 0. A test measures it. */
  readonly cost?: Partial<Cost>;
  readonly needs?: readonly Need[];
  observe(run: Run): Promise<Behaviour>;
}
