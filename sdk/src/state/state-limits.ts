import { ConfigurationError } from '../errors.ts';
import type { FullStateLimits, StateLimits } from './client-state.ts';

const most = 1_000_000;

/** Checks the limits of a state and fills in the defaults. */
export function readStateLimits(limits: StateLimits): FullStateLimits {
  return {
    outboxMax: positive('outboxMax', limits.outboxMax ?? 1_000),
    unfinishedMax: positive('unfinishedMax', limits.unfinishedMax ?? 1_000),
    finishedMax: positive('finishedMax', limits.finishedMax ?? 1_000),
  };
}

function positive(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new ConfigurationError(`${name} is ${value}; it has to be an integer from 1 to ${most}.`);
}
