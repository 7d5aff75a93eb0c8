import type { FastifyInstance } from 'fastify';
import { authenticate } from '../identity/tokens/token-queries.ts';
import { readBearer } from '../platform/http/mount.ts';
import type { Logger } from '../platform/logger.ts';
import type { Settings } from '../platform/settings/settings.ts';
import type { Store } from '../store/store.ts';
import { postgresChannel } from '../wake-ups/postgres-channel.ts';
import { redisChannel } from '../wake-ups/redis-channel.ts';
import { shareWakeUps } from '../wake-ups/shared-wake-ups.ts';
import { noWakeUps, type OnWakeUp, type WakeUps } from '../wake-ups/wake-ups.ts';
import { type AdmissionParts, openAdmission } from './admission-commands.ts';
import { announcer } from './event-commands.ts';
import { mountEvents } from './event-routes.ts';
import { type ConnectionSlots, memorySlots, StoredSlots } from './slot-commands.ts';
import { EventStream, type StreamParts } from './stream-commands.ts';

/** The parts of the event stream with the settings that choose the others. */
interface EventParts
  extends Pick<StreamParts, 'store' | 'clock' | 'log' | 'tickMs'>,
    Pick<AdmissionParts, 'limitAddress' | 'isClosing'> {
  readonly settings: Settings;
}

/** The opened event stream. */
export type Events = ReturnType<typeof openEvents>;

/** Opens the event stream with the given settings. */
export function openEvents(parts: EventParts) {
  const { settings, store, clock, log, limitAddress } = parts;
  const slots = chooseSlots(settings, store, log);
  const openWakeUps = (onWakeUp: OnWakeUp) => chooseWakeUps(settings, store, log, onWakeUp);
  const stream = new EventStream({ ...parts, slots, openWakeUps });
  const authenticateHeader = async (header?: string) => await authenticate(store, clock, readBearer(header));
  const admit = openAdmission({ ...parts, stream, slots, authenticate: authenticateHeader });
  return {
    ...announcer(clock, (event) => stream.announce(event)),
    /** Closes the connections of agents whose access has ended, on every instance. */
    accessChanged: (agentIds: readonly string[]) => stream.accessChanged(agentIds),
    mount: (http: FastifyInstance) => mountEvents(http, admit, limitAddress),
    /** Closes every connection with 1013. */
    close: () => stream.close(),
  };
}

/** The database counts where it is shared; a process with an embedded one is alone. */
function chooseSlots(settings: Settings, store: Store, log: Logger): ConnectionSlots {
  const limits = { perAgent: settings.eventConnectionsPerAgent, inAll: settings.eventConnections };
  const isOff = limits.perAgent === 0 && limits.inAll === 0;
  return store.kind === 'pglite' || isOff ? memorySlots(limits) : new StoredSlots(store, limits, log);
}

function chooseWakeUps({ databaseUrl, redisUrl }: Settings, store: Store, log: Logger, onWakeUp: OnWakeUp): WakeUps {
  if (store.kind === 'pglite' || databaseUrl === undefined) return noWakeUps;
  const open = redisUrl === undefined ? postgresChannel(databaseUrl, log) : redisChannel(redisUrl, log);
  return shareWakeUps(open, onWakeUp);
}
