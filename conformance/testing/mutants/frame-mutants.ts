import type { FrameMutant } from '../start-faulty.ts';

/** Servers whose event stream is faulty, made of what `frame-faults.ts` has; the checks of events name what they kill. */
export const frameMutants: readonly FrameMutant[] = [];
