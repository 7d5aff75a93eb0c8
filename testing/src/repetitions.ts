import { env } from 'node:process';

/** Whether tests repeat races and kills as often as `npm run lab -- tests` does. */
export const isThoroughRun = env['AGENT_PLATFORM_THOROUGH'] === '1';

/** Returns `all` in a thorough run, otherwise a fifth of it. */
export function scaleRepetitions(all: number): number {
  return isThoroughRun ? all : Math.ceil(all / 5);
}
