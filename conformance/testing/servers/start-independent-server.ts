import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { noHooks } from '@agent-platform/conformance';
import { startMapsServer } from './maps/maps-server.ts';
import type { ServerLimits } from './maps/world.ts';

const program = fileURLToPath(new URL('operate-server.mjs', import.meta.url));
const never = Number.POSITIVE_INFINITY;
const withoutLimits: ServerLimits = { writes: never, contacts: never, messages: never, registrations: never };
export const statedLimits: ServerLimits = { writes: 120, contacts: 10, messages: 60, registrations: 10 };

/** Starts the independent server in this process, with the hooks that a whole run needs. */
export async function startIndependentServer(limits = withoutLimits) {
  const { baseUrl, wsUrl, close } = await startMapsServer(limits);
  const operate = `'${process.execPath}' '${program}' ${baseUrl}`;
  const hooks = {
    ...noHooks,
    grant: `${operate} grant {bot_id} {amount_minor}`,
    clock: `${operate} advance {seconds}`,
    suspend: `${operate} suspend {bot_id}`,
  };
  return { url: baseUrl, means: { wsUrl, hooks }, stop: close };
}
