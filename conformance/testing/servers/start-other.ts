import { noHooks, type RunOptions } from '@agent-platform/conformance';
import { openControl } from './control.ts';
import { startMapsServer } from './maps/maps-server.ts';
import type { ServerLimits } from './maps/world.ts';

const never = Number.POSITIVE_INFINITY;
const withoutLimits: ServerLimits = { writes: never, contacts: never, messages: never, registrations: never };
/** As the specification states them. */
export const statedLimits: ServerLimits = { writes: 120, contacts: 10, messages: 60, registrations: 10 };

/** Starts the server by other hands than the reference, in this process, with the hooks that a whole run needs. */
export async function startOther(limits = withoutLimits) {
  const server = await startMapsServer(limits);
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
