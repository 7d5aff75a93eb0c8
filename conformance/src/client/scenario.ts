import type { Stage } from './stage.ts';
import type { ClientCheck } from './verdicts.ts';

/** A story that is played with the program, and what is judged of it. */
export interface Scenario {
  readonly name: string;
  play(stage: Stage): Promise<readonly ClientCheck[]>;
}
