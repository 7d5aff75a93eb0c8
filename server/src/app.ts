import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { buildAsyncApi, buildOpenApi, operations } from '@agent-platform/contract';
import type { FastifyInstance } from 'fastify';
import { makeOrderFiles, makePostAttachments, makeProfileImages } from './attachments/attachment-commands.ts';
import { mountAttachments } from './attachments/attachment-routes.ts';
import {
  computeFormMaxBytes,
  type FileServices,
  openFileServices,
  openStorage,
} from './attachments/attachments-setup.ts';
import { mountContacts } from './contacts/contact-routes.ts';
import { mountDocsSite, openDocsSite } from './docs-site-routes.ts';
import { type OpenedEventStream, openEventStream } from './events/events-setup.ts';
import { isStorageUnavailable } from './files/storage-failure.ts';
import { mountHealth } from './health-routes.ts';
import { mountIdentity } from './identity/identity-routes.ts';
import { startLastSeenRecorder } from './identity/last-seen-commands.ts';
import { authenticate, type Caller } from './identity/tokens/token-queries.ts';
import { mountWallet } from './ledger/wallet-routes.ts';
import { mountMessages } from './messages/message-routes.ts';
import { mountOrders } from './orders/order-routes.ts';
import { type Clock, minute, type RemovalTime } from './platform/clock.ts';
import { makeHttpServer } from './platform/http/http.ts';
import { makeOperationMounter, type OperationMounter, toRoutePath } from './platform/http/mount.ts';
import { openRefusalLog } from './platform/http/refusal-log.ts';
import type { Telemetry } from './platform/instruments.ts';
import type { Logger } from './platform/logger.ts';
import type { Settings } from './platform/settings/settings.ts';
import { mountPosts } from './posts/post-routes.ts';
import { mountProfiles } from './profiles/profile-routes.ts';
import { openRateLimits, type RateLimits } from './rate-limits/rate-limits-setup.ts';
import { startRetention } from './retention/retention-commands.ts';
import type { Store } from './store/store.ts';
import { StoreUnavailableError } from './store/unavailable.ts';
import { mountPages } from './web/page-routes.ts';
import { readAssets } from './web/serving/assets-setup.ts';

/** The dependencies of an app. The caller opens the store before the app, and closes it afterwards. */
export interface AppDependencies {
  readonly settings: Settings;
  readonly store: Store;
  readonly clock: Clock;
  /** The clock without the offset of the test clock. */
  readonly leaseClock: Clock;
  readonly removalTime: RemovalTime;
  readonly log: Logger;
  /** The public address of the server. */
  readonly publicUrl: string;
  /** The interval of the event stream's timer; a second unless a test shortens it. */
  readonly eventTickMs?: number;
  /** Absent unless metrics or traces are enabled. */
  readonly telemetry?: Telemetry | undefined;
}

/** The composed server, not yet listening on a socket. */
export interface App {
  readonly http: FastifyInstance;
  /** Writes events and wakes their receivers. */
  readonly announce: OpenedEventStream['announce'];
  /** Ends the event connections of agents whose access has ended. */
  readonly accessChanged: OpenedEventStream['accessChanged'];
  /** The storage and the file checks for uploads by the operator. */
  readonly files: FileServices['parts'];
  /** Immediately runs the work that became due when the test clock was advanced. */
  readonly clockMoved: OpenedEventStream['clockMoved'];
  /** The current load of this process, for metrics. */
  readonly load: () => ReturnType<FileServices['load']> & ReturnType<OpenedEventStream['load']>;
  /** Makes readiness fail and each response close its connection; requests are still served. */
  beginDraining(): void;
  /** Refuses new connections; resolves once connections that were accepted earlier have had time to send a request. */
  refuseConnections(): Promise<void>;
  /** Makes every response `unavailable`, including that of readiness. */
  beginClosing(): void;
  /** Waits for the accepted requests, then releases all resources. Calls `began` before it closes each component. */
  close(began?: (part: string) => void): Promise<void>;
}

/** This limit is short enough that readiness fails within 5 s when the database hangs. */
const readyTimeoutMs = 3_000;

const closeIdleEveryMs = 50;

/** Proxies send a request within this time after they open a connection; it includes a margin. */
const lateRequestMs = 300;

/** Composes the server from its features. */
export function makeApp(parts: AppDependencies): App {
  const { settings, store, clock, removalTime, log, eventTickMs, telemetry } = parts;
  const docs = openDocs(settings);
  let phase: 'serving' | 'draining' | 'closing' = 'serving';
  const isDraining = () => phase !== 'serving';
  const rateLimits = openRateLimits(settings, store, clock, log);
  const files = openFileServices(parts);
  const isUnavailable = (error: unknown) => error instanceof StoreUnavailableError || isStorageUnavailable(error);
  const refusals = openRefusalLog(log);
  const http = makeHttpServer(settings, log, refusals, isUnavailable, telemetry);
  const access = { limitAddress: rateLimits.limitRequests, isDraining, isClosing: () => phase === 'closing' };
  const lastSeen = startLastSeenRecorder(store, clock, log);
  const events = openEventStream({ ...parts, ...access, refusals, tickMs: eventTickMs, noteSeen: lastSeen.note });
  const retention = startRetention(
    { store, storage: files.parts.storage, terms: settings, announce: events.announce, removalTime, clock, log },
    settings.retentionEveryMinutes * minute,
  );
  const mount = makeOperationMounter<Caller>(
    http,
    {
      authenticate: (token) => authenticate(store, clock, token),
      idOf: (caller) => caller.agent.id,
      onRequestOf: lastSeen.note,
      limitWrites: rateLimits.limitWrites,
      formMaxBytes: computeFormMaxBytes(settings),
      ...access,
    },
    operations,
  );
  mountFeatures(mount, parts, rateLimits, files, events);
  mountHealth(mount, {
    clock: settings.clock,
    isReady: async () => !isDraining() && (await isReady(store)),
    hasStorage: files.hasStorage,
    openApi: () => buildOpenApi(parts.publicUrl),
    asyncApi: () => buildAsyncApi(parts.publicUrl.replace(/^http/, 'ws')),
  });
  if (docs !== undefined) mountDocsSite(http, docs, () => parts.publicUrl.replace(/\/$/, ''));
  requireAllOperations(http);
  if (settings.pages === 'on') mountPublicPages(http, parts);
  events.mount(http);

  return {
    http,
    announce: events.announce,
    accessChanged: events.accessChanged,
    files: files.parts,
    clockMoved: events.clockMoved,
    load: () => ({ ...files.load(), ...events.load() }),
    beginDraining: () => {
      phase = 'draining';
    },
    refuseConnections: () => refuseConnections(http),
    beginClosing: () => {
      phase = 'closing';
    },
    close: async (began = () => undefined) => {
      phase = 'closing';
      const ended = endConnections(http);
      // Event connections are closed first, because the HTTP server waits for all its connections, including these.
      await endInOrder(began, {
        'event connections': () => events.close(),
        requests: () => ended.then(() => http.close()),
        'file storage': () => files.endStorage(),
        retention: () => retention.close(),
        'file checks': () => files.close(),
        'rate limits': () => rateLimits.close(),
        lastSeen: () => lastSeen.close(),
      });
      refusals.close();
    },
  };
}

type Endings = Readonly<Record<string, () => unknown>>;

async function endInOrder(began: (part: string) => void, parts: Endings): Promise<void> {
  for (const [part, end] of Object.entries(parts)) {
    began(part);
    await end();
  }
}

function openDocs(settings: Settings) {
  if (settings.docsDir === undefined) return undefined;
  const { kind, place } = openStorage(settings);
  return openDocsSite(settings.docsDir, [settings.dataDir, ...(kind === 'folder' ? [place] : [])]);
}

async function refuseConnections({ server }: FastifyInstance): Promise<void> {
  // Waits until pending connections are accepted, because closing the listener would reset them.
  await nextTurn();
  server.close();
  await wait(lateRequestMs);
}

async function endConnections({ server }: FastifyInstance): Promise<void> {
  // Closes idle connections repeatedly, because a connection that still sends a response becomes idle later.
  const sweeping = setInterval(() => server.closeIdleConnections(), closeIdleEveryMs);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(sweeping);
}

function mountFeatures(
  mount: OperationMounter<Caller>,
  parts: AppDependencies,
  limits: RateLimits,
  files: FileServices,
  events: OpenedEventStream,
): void {
  const { settings, store, clock } = parts;
  const { limitRegistrations, inPlaceOfRegistration, limitContactRequests, limitMessages } = limits;
  const { announce, draftEvent, accessChanged } = events;
  const { registrationMode, tokenLifetimeDays, messageDays, agentTextBytes, openOffers, feeBps } = settings;
  const terms = { initialMode: registrationMode, tokenLifetimeDays, agentTextBytes };
  const expiry = { clock, terms: settings };
  const [images, attachments] = [makeProfileImages(expiry), makePostAttachments(expiry)];
  mountIdentity(mount, { store, clock, images, terms, limitRegistrations, inPlaceOfRegistration, accessChanged });
  mountProfiles(mount, { store, images, attachments });
  mountPosts(mount, { store, clock, attachments, agentTextBytes });
  mountContacts(mount, { store, clock, announce, limitRequests: limitContactRequests });
  mountMessages(mount, { store, clock, draftEvent, limitMessages, messageDays, agentTextBytes });
  mountAttachments(mount, files.parts);
  mountWallet(mount, { store, clock });
  const orderTerms = { feeBps, agentTextBytes, openOffers };
  mountOrders(mount, { store, clock, draftEvent, files: makeOrderFiles(expiry), ...orderTerms });
}

function mountPublicPages(http: FastifyInstance, { settings, store, clock, publicUrl }: AppDependencies): void {
  const expiry = { clock, terms: settings };
  const { operatorName, contact, termsUrl, abuseContact, installCommand } = settings;
  const site = {
    url: publicUrl,
    base: new URL(publicUrl).pathname.replace(/\/$/, ''),
    isPublished: settings.publicUrl !== undefined,
    hasDocs: settings.docsDir !== undefined,
    operator: { name: operatorName, contact, termsUrl, abuseContact, installCommand },
  };
  const [images, attachments] = [makeProfileImages(expiry), makePostAttachments(expiry)];
  mountPages(http, { store, images, attachments, site, assets: readAssets() });
}

async function isReady(store: Store): Promise<boolean> {
  return await store.ping(readyTimeoutMs).then(
    () => true,
    () => false,
  );
}

/** Fails at start-up if an operation of the contract has no handler. */
function requireAllOperations(http: FastifyInstance): void {
  const missing = operations.filter(({ method, path }) => !http.hasRoute({ method, url: toRoutePath(path) }));
  if (missing.length > 0) throw new Error(`No handler for ${missing.map(({ id }) => id).join(', ')}.`);
}
