import type { Run } from './run.ts';

/** Judges one rule of the specification; a deviation is thrown. */
export interface Check {
  readonly id: string;
  /** The requirements that this check is about. */
  readonly covers: readonly string[];
  /** The rule, as a sentence. */
  readonly rule: string;
  judge(run: Run): Promise<void>;
}

/** What a server chose where the specification is silent. */
export interface Choice {
  readonly seen: string;
  /** Whether the reference server does the same. */
  readonly asDecided: boolean;
}

/** Looks at what a server chose where the specification is silent; only a strict run judges it. */
export interface Look {
  readonly id: string;
  /** The ambiguous requirements that this look is about. */
  readonly covers: readonly string[];
  /** The question that the specification leaves open. */
  readonly question: string;
  see(run: Run): Promise<Choice>;
}
