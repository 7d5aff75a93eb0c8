import type { Report } from '../verdict/report.ts';
import { countOf, printDuration } from './readable.ts';

/** What a run asked for, in words. */
export function printSpending({ spent, milliseconds }: Report): string {
  const parts = [
    countOf(spent.registrations, 'registration'),
    countOf(spent.requests, 'request'),
    countOf(spent.writes, 'change'),
    ...(spent.contactRequests > 0 ? [countOf(spent.contactRequests, 'contact request')] : []),
    ...(spent.messages > 0 ? [countOf(spent.messages, 'message')] : []),
    ...(spent.uploads > 0 ? [countOf(spent.uploads, 'upload')] : []),
    ...(spent.creditsMinor > 0 ? [`${spent.creditsMinor} minor units of credit`] : []),
    ...(spent.sockets > 0 ? [`${countOf(spent.sockets, 'event connection')} at a time`] : []),
    `${printDuration(milliseconds)}, of which ${printDuration(spent.waitedMs)} waiting`,
  ];
  const limited = spent.limited > 0 ? [`${countOf(spent.limited, 'answer')} with an unexpected 429`] : [];
  return [...parts, ...limited].join(', ');
}

/** The seed of a run, for the end of a list. */
export function seedOf({ seed, shuffled }: Report): string {
  if (seed === undefined) return '';
  return `, seed ${seed}${shuffled ? ', shuffled' : ''}`;
}
