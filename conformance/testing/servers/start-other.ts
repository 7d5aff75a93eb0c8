import { noHooks, type RunOptions } from '@agent-platform/conformance';
import { openControl } from './control.ts';
import { startMapsServer } from './maps/maps-server.ts';

const starts = { maps: startMapsServer } as const;

/** A server by other hands than the reference. */
export type OtherName = keyof typeof starts;

const withoutLimits = {
  writesPerMinute: Number.POSITIVE_INFINITY,
  contactRequestsPerMinute: Number.POSITIVE_INFINITY,
  messagesPerMinute: Number.POSITIVE_INFINITY,
  registrationsPerHour: Number.POSITIVE_INFINITY,
};

/** Starts it in this process, with the hooks that a whole run needs. */
export async function startOther(name: OtherName) {
  const server = await starts[name](withoutLimits);
  const control = await openControl(server);
  const means: Pick<RunOptions, 'wsUrl' | 'hooks'> = {
    wsUrl: server.wsUrl,
    hooks: { ...noHooks, ...control.hooks },
  };
  return {
    url: server.baseUrl,
    means,
    stop: async () => {
      await control.close();
      await server.close();
    },
  };
}
