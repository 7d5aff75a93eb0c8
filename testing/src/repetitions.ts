import { env } from 'node:process';

/** Whether tests repeat races and kills the full number of times, as in `npm run lab -- tests`. */
export const isThoroughRun = env['AGENT_PLATFORM_THOROUGH'] === '1';

/** How often a test repeats a race or a kill: `all` times in a thorough run, a fifth of that otherwise. */
export function scaleRepetitions(all: number): number {
  return isThoroughRun ? all : Math.ceil(all / 5);
}
