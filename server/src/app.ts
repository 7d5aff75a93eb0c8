import { type Endpoint, operations, printAsyncApi, printOpenApi } from '@agent-platform/contract';
import type { FastifyInstance } from 'fastify';
import { orderFiles, postAttachments, profileImages } from './attachments/attachment-commands.ts';
import { mountAttachments } from './attachments/attachment-routes.ts';
import { type Files, formMaxBytes, openFiles } from './attachments/attachments-setup.ts';
import { lockFriendship } from './contacts/contact-queries.ts';
import { mountContacts } from './contacts/contact-routes.ts';
import { type Events, openEvents } from './events/events-setup.ts';
import { isStorageUnavailable } from './files/storage-failure.ts';
import { mountHealth } from './health/health-routes.ts';
import { mountIdentity } from './identity/identity-routes.ts';
import { authenticate, type Caller } from './identity/tokens/token-queries.ts';
import { mountWallet } from './ledger/wallet-routes.ts';
import { mountMessages } from './messages/message-routes.ts';
import { mountOrders } from './orders/order-routes.ts';
import { addressKey } from './platform/address.ts';
import { type Clock, hour, minute } from './platform/clock.ts';
import type { CommandLimit } from './platform/command-limit.ts';
import { makeHttp } from './platform/http/http.ts';
import { makeMount } from './platform/http/mount.ts';
import type { Logger } from './platform/logger.ts';
import { Refusal } from './platform/refusal.ts';
import type { Settings } from './platform/settings/settings.ts';
import { mountPosts } from './posts/post-routes.ts';
import { mountProfiles } from './profiles/profile-routes.ts';
import { memoryCounters } from './rate-limits/counters.ts';
import { type Limiter, makeLimiter } from './rate-limits/limiter.ts';
import type { RateLimit, Verdict } from './rate-limits/rate-limit.ts';
import { redisCounters } from './rate-limits/redis-counters.ts';
import { storedCounters } from './rate-limits/stored-counters.ts';
import { startRetention } from './retention/retention-commands.ts';
import type { Store } from './store/store.ts';
import { StoreUnavailable } from './store/unavailable.ts';

/** What an app is made of; whoever opens the store closes it after the app. */
export interface AppParts {
  readonly settings: Settings;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** The address that agents see. */
  readonly publicUrl: string;
  /** Interval of the event stream's timer; a second unless a test shortens it. */
  readonly eventTickMs?: number;
}

/** The whole server but its socket: it does not listen by itself. */
export interface App {
  readonly http: FastifyInstance;
  /** Ends the event connections of agents whose access has ended. */
  readonly accessChanged: Events['accessChanged'];
  /** From now on everything is answered `unavailable`, readiness first of all. */
  beginClosing(): void;
  /** Waits for the requests that were accepted, then lets go of everything it made. */
  close(): Promise<void>;
}

/** Readiness must be bad within 5 s of a frozen database. */
const readyTimeoutMs = 3_000;

const closeIdleEveryMs = 50;

/** Composes the server from its features. */
export function makeApp({ settings, store, clock, log, publicUrl, eventTickMs }: AppParts): App {
  let isClosing = false;
  const { counters, closeCounters } = chooseCounters(settings, store, log);
  const limiter = makeLimiter(counters, clock, log);
  const limits = nameLimits(settings, limiter);
  const files = openFiles({ settings, store, clock, log });
  const events = openEvents({
    settings,
    store,
    clock,
    log,
    limitAddress: limits.requests,
    isClosing: () => isClosing,
    tickMs: eventTickMs,
  });
  const { announce, draftEvent, accessChanged } = events;
  const { storage } = files.parts;
  const retention = startRetention(
    { store, storage, terms: settings, clock, log },
    settings.retentionEveryMinutes * minute,
  );
  const http = makeHttp({
    log,
    trustProxy: settings.trustProxy,
    requestSeconds: settings.requestSeconds,
    uploadSeconds: settings.uploadSeconds,
    isUpload: (method, path) => operations.some((known) => isUploadOf(known, method, path)),
    isUnavailable: (error) => error instanceof StoreUnavailable || isStorageUnavailable(error),
  });
  const mount = makeMount<Caller>(
    http,
    {
      authenticate: (token) => authenticate(store, clock, token),
      idOf: (caller) => caller.agent.id,
      limitAddress: limits.requests,
      limitWrites: limits.writes,
      isClosing: () => isClosing,
      formMaxBytes: formMaxBytes(settings),
    },
    operations,
  );

  mountIdentity(mount, {
    store,
    clock,
    images: profileImages,
    terms: { initialMode: settings.registrationMode, tokenLifetimeDays: settings.tokenLifetimeDays },
    limitRegistrations: limits.registrations,
    accessChanged,
  });
  mountProfiles(mount, { store, images: profileImages, attachments: postAttachments });
  mountPosts(mount, { store, clock, attachments: postAttachments });
  mountContacts(mount, { store, clock, announce, limitRequests: limits.contactRequests });
  const { messageDays } = settings;
  mountMessages(mount, { store, clock, draftEvent, limitMessages: limits.messages, messageDays });
  mountAttachments(mount, files.parts);
  mountWallet(mount, { store, clock });
  mountOrders(mount, { store, clock, announce, files: orderFiles, lockFriendship, feeBps: settings.feeBps });
  mountHealth(mount, {
    isReady: async () => !isClosing && (await isReady(store, files)),
    openApi: printOpenApi(publicUrl),
    asyncApi: printAsyncApi(publicUrl.replace(/^http/, 'ws')),
  });
  refuseUnmounted(http, operations);
  events.mount(http);

  return {
    http,
    accessChanged,
    beginClosing: () => {
      isClosing = true;
    },
    close: async () => {
      isClosing = true;
      // First, since the server waits for every connection to end.
      await events.close();
      // A connection that still sends its reply becomes idle after the first pass.
      const sweeping = setInterval(() => http.server.closeIdleConnections(), closeIdleEveryMs);
      await http.close();
      clearInterval(sweeping);
      await retention.close();
      await files.close();
      limiter.close();
      await closeCounters();
    },
  };
}

/** Redis where it is configured, else the database that is shared, else the process, which is then alone. */
function chooseCounters({ redisUrl }: Settings, store: Store, log: Logger) {
  const own = store.kind === 'pglite' ? memoryCounters() : storedCounters(store);
  if (redisUrl === undefined) return { counters: own, closeCounters: async () => undefined };
  const shared = redisCounters(redisUrl, own, log);
  return { counters: shared, closeCounters: () => shared.close() };
}

function isUploadOf(operation: Endpoint, method: string, path: string): boolean {
  return operation.form !== undefined && operation.method === method && operation.path === path;
}

async function isReady(store: Store, files: Files): Promise<boolean> {
  return await Promise.all([store.ping(readyTimeoutMs), files.check()]).then(
    () => true,
    () => false,
  );
}

/** The contract is complete or the server does not start. */
function refuseUnmounted(http: FastifyInstance, all: readonly Endpoint[]): void {
  const missing = all.filter(
    ({ method, path }) => !http.hasRoute({ method, url: path.replaceAll(/\{(\w+)\}/g, ':$1') }),
  );
  if (missing.length > 0) throw new Error(`No handler for ${missing.map(({ id }) => id).join(', ')}.`);
}

function nameLimits(settings: Settings, limiter: Limiter) {
  const requests = { name: 'requests', max: settings.requestsPerAddressPerMinute, windowMs: minute };
  const writes = { name: 'writes', max: settings.writesPerMinute, windowMs: minute };
  const registrations = { name: 'registrations', max: settings.registrationsPerAddressPerHour, windowMs: hour };
  const allRegistrations = { name: 'all-registrations', max: settings.registrationsPerHour, windowMs: hour };
  const contactRequests = { name: 'contact-requests', max: settings.contactRequestsPerMinute, windowMs: minute };
  const messages = { name: 'messages', max: settings.messagesPerMinute, windowMs: minute };
  const ofCommands = (limit: RateLimit, message: string): CommandLimit => ({
    take: async (agentId) => refuse(await limiter.take(limit, agentId), 'rate_limited', message),
    giveBack: (agentId) => limiter.giveBack(limit, agentId),
  });
  return {
    contactRequests: ofCommands(contactRequests, 'Too many contact requests by this agent in a minute.'),
    messages: ofCommands(messages, 'Too many messages by this agent in a minute.'),
    requests(address: string) {
      const verdict = limiter.takeFast(requests, addressKey(address));
      return verdict instanceof Promise ? verdict.then(refuseAddress) : refuseAddress(verdict);
    },
    async writes(agentId: string) {
      return refuse(
        await limiter.take(writes, agentId),
        'write_limited',
        'Too many changes by this agent in a minute.',
      );
    },
    // An address over its own limit does not eat up what is there for everybody.
    async registrations(address: string) {
      const message = 'Too many registrations in an hour.';
      const own = refuse(await limiter.take(registrations, addressKey(address)), 'registration_limited', message);
      return own ?? refuse(await limiter.take(allRegistrations, 'all'), 'registration_limited', message);
    },
  };
}

function refuseAddress(verdict: Verdict): Refusal | undefined {
  return refuse(verdict, 'rate_limited', 'Too many requests from this address in a minute.');
}

function refuse(
  verdict: Verdict,
  code: 'rate_limited' | 'write_limited' | 'registration_limited',
  message: string,
): Refusal | undefined {
  if (verdict.allowed) return undefined;
  const { retryAfterSeconds } = verdict;
  return new Refusal(code, `${message} Wait ${retryAfterSeconds} s before the next request.`, { retryAfterSeconds });
}
