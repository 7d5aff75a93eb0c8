import type { FastifyInstance } from 'fastify';
import { authenticate } from '../identity/tokens/token-queries.ts';
import { parseBearerToken } from '../platform/http/mount.ts';
import type { Logger } from '../platform/logger.ts';
import type { Settings } from '../platform/settings/settings.ts';
import type { Store } from '../store/store.ts';
import { makePostgresChannel } from '../wake-ups/postgres-channel.ts';
import { openPostgresSession, type PostgresSession } from '../wake-ups/postgres-session.ts';
import { makeRedisChannel } from '../wake-ups/redis-channel.ts';
import { shareWakeUps } from '../wake-ups/shared-wake-ups.ts';
import { noWakeUps, type WakeUpHandler, type WakeUps } from '../wake-ups/wake-ups.ts';
import { type AdmissionDependencies, makeConnectionAdmitter } from './admission-commands.ts';
import { makeAnnouncer } from './event-commands.ts';
import { mountEvents } from './event-routes.ts';
import { computeDefaultAddressLimit, type SlotLimits } from './slots/connection-slots.ts';
import { type ConnectionSlots, makeMemorySlots, StoredSlots, unlimitedSlots } from './slots/slot-commands.ts';
import { EventStream, type StreamDependencies } from './stream-commands.ts';

interface EventDependencies
  extends Pick<StreamDependencies, 'store' | 'clock' | 'removalTime' | 'log' | 'tickMs' | 'noteSeen' | 'telemetry'>,
    Pick<AdmissionDependencies, 'limitAddress' | 'refusals' | 'isClosing'> {
  readonly settings: Settings;
}

export type OpenedEventStream = ReturnType<typeof openEventStream>;

export function openEventStream(parts: EventDependencies) {
  const { settings, store, clock, log, limitAddress } = parts;
  const session = openSession(settings, store);
  const slots = chooseSlots(settings, store, log, session);
  const openWakeUps = (onWakeUp: WakeUpHandler) => chooseWakeUps(settings, log, session, onWakeUp);
  const stream = new EventStream({ ...parts, slots, openWakeUps });
  const authenticateHeader = async (header?: string) => await authenticate(store, clock, parseBearerToken(header));
  const admit = makeConnectionAdmitter({ ...parts, stream, slots, authenticate: authenticateHeader });
  return {
    ...makeAnnouncer(clock, (event) => stream.announce(event)),
    /** Closes the connections of agents whose access has ended, on every instance. */
    accessChanged: (agentIds: readonly string[]) => stream.accessChanged(agentIds),
    /** Closes connections of this instance whose tokens expired when the test clock was advanced. */
    clockMoved: () => stream.clockMoved(),
    load: () => stream.load(),
    mount: (http: FastifyInstance) => mountEvents(http, admit, limitAddress),
    /** Closes every connection with 1013. */
    close: async () => {
      await stream.close();
      await session?.close();
    },
  };
}

/** Opens a separate database session. Returns undefined for an embedded database, which has only one session. */
function openSession(settings: Settings, store: Store): PostgresSession | undefined {
  const databaseUrl = settings.directDatabaseUrl ?? settings.databaseUrl;
  return store.kind === 'pglite' || databaseUrl === undefined ? undefined : openPostgresSession(databaseUrl);
}

/** Chooses where slots are counted: in the tables of a shared database, or in memory with an embedded one. */
function chooseSlots(settings: Settings, store: Store, log: Logger, session?: PostgresSession): ConnectionSlots {
  const limits = readLimits(settings);
  const isOff = Object.values(limits).every((limit) => limit === 0);
  if (isOff) return unlimitedSlots;
  return session === undefined ? makeMemorySlots(limits) : new StoredSlots(store, limits, log, session);
}

function readLimits(settings: Settings): SlotLimits {
  const { eventConnectionsPerAgent: perAgent, eventConnections: inAll, eventConnectionsPerAddress } = settings;
  return { perAgent, perAddress: eventConnectionsPerAddress ?? computeDefaultAddressLimit({ perAgent, inAll }), inAll };
}

function chooseWakeUps(
  { redisUrl }: Settings,
  log: Logger,
  session: PostgresSession | undefined,
  onWakeUp: WakeUpHandler,
): WakeUps {
  if (session === undefined) return noWakeUps;
  return shareWakeUps(
    redisUrl === undefined ? makePostgresChannel(session, log) : makeRedisChannel(redisUrl, log),
    onWakeUp,
  );
}
