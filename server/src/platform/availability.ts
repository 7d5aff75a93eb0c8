import { errorMessageOf } from './error-facts.ts';
import type { Logger } from './logger.ts';

export type AvailabilityReporter = (isAvailable: boolean, error?: unknown) => void;

/** Makes a reporter that logs once when a service becomes unavailable, and once when it is available again. */
export function makeAvailabilityReporter(
  log: Logger,
  messages: { readonly lost: string; readonly restored: string },
): AvailabilityReporter {
  let wasAvailable = true;
  return (isAvailable, error) => {
    if (isAvailable === wasAvailable) return;
    wasAvailable = isAvailable;
    if (isAvailable) log.info(messages.restored);
    else log.warn({ cause: errorMessageOf(error) }, messages.lost);
  };
}
