import { readInteger } from '../integer-option.ts';
import type { StateLimits } from './client-state.ts';

/** The limits, complete. */
export type FullStateLimits = { readonly [Name in keyof StateLimits]-?: number };

/** Checks the limits of a state and fills in the defaults. */
export function readStateLimits(limits: StateLimits): FullStateLimits {
  const read = (name: keyof StateLimits) => readInteger(name, limits[name] ?? 1_000, 1, 1_000_000);
  return { outboxMax: read('outboxMax'), unfinishedMax: read('unfinishedMax'), finishedMax: read('finishedMax') };
}
