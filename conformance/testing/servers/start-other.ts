import { noHooks, type RunOptions } from '@agent-platform/conformance';
import { openControl } from './control.ts';
import { startJournalServer } from './journal/journal-server.ts';
import type { ServerLimits } from './limits.ts';
import { startMapsServer } from './maps/maps-server.ts';

const starts = { maps: startMapsServer, journal: startJournalServer } as const;

/** A server by other hands than the reference. */
export type OtherName = keyof typeof starts;

const never = Number.POSITIVE_INFINITY;
const withoutLimits: ServerLimits = { writes: never, contacts: never, messages: never, registrations: never };
/** As the specification states them. */
export const statedLimits: ServerLimits = { writes: 120, contacts: 10, messages: 60, registrations: 10 };

/** Starts it in this process, with the hooks that a whole run needs. */
export async function startOther(name: OtherName, limits = withoutLimits) {
  const server = await starts[name](limits);
  const control = await openControl(server);
  const means: Pick<RunOptions, 'wsUrl' | 'hooks'> = { wsUrl: server.wsUrl, hooks: { ...noHooks, ...control.hooks } };
  return {
    url: server.baseUrl,
    means,
    stop: async () => {
      await control.close();
      await server.close();
    },
  };
}
