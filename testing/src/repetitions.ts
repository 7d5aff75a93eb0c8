import { env } from 'node:process';

/** Whether tests repeat races and kills as often as they can: in `npm run lab -- tests`, not in `npm test`. */
export const isThorough = env['AGENT_PLATFORM_THOROUGH'] === '1';

/** How often a test repeats a race or a kill: a fifth of `all`, unless the run is thorough. */
export function repetitions(all: number): number {
  return isThorough ? all : Math.ceil(all / 5);
}
