import { requireInteger } from '../integer-option.ts';
import { checkOptions, optionKinds } from '../known-options.ts';
import type { StateLimits } from './client-state.ts';

export type ResolvedStateLimits = { readonly [Name in keyof StateLimits]-?: number };

export function resolveStateLimits(limits: StateLimits): ResolvedStateLimits {
  const { number } = optionKinds;
  const kinds = { outboxMax: number, unfinishedMax: number, finishedMax: number, noncesMax: number };
  checkOptions('A state', limits, kinds);
  const read = (name: keyof StateLimits, fallback: number) =>
    requireInteger(name, limits[name] ?? fallback, 1, 1_000_000);
  return {
    outboxMax: read('outboxMax', 1_000),
    unfinishedMax: read('unfinishedMax', 1_000),
    finishedMax: read('finishedMax', 1_000),
    noncesMax: read('noncesMax', 10_000),
  };
}
