import { type Clock, hour, minute } from '../platform/clock.ts';
import type { CommandLimit } from '../platform/command-limit.ts';
import { makeAddressKey, networkKeysOf, networkLimitFactors } from '../platform/http/address.ts';
import type { Logger } from '../platform/logger.ts';
import { Refusal } from '../platform/refusal.ts';
import { makeSemaphore } from '../platform/semaphore.ts';
import type { Settings } from '../platform/settings/settings.ts';
import type { Store } from '../store/store.ts';
import { makeMemoryCounters } from './counters.ts';
import { makeLimiter } from './limiter.ts';
import { allowedVerdict, type RateLimit, type RateLimitVerdict } from './rate-limit.ts';
import { makeRedisCounters } from './redis-counters.ts';
import { makeStoredCounters } from './stored-counters.ts';

export type RateLimits = ReturnType<typeof openRateLimits>;

export function openRateLimits(settings: Settings, store: Store, clock: Clock, log: Logger) {
  const { counters, closeCounters } = chooseCounters(settings, store, log);
  const limiter = makeLimiter(counters, clock, log);
  const limit = (name: string, max: number, windowMs: number): RateLimit => ({ name, max, windowMs });
  const perNetwork = (...[name, max, windowMs]: Parameters<typeof limit>) =>
    networkLimitFactors.map((times) => limit(name, max * times, windowMs));
  const requests = perNetwork('requests', settings.requestsPerAddressPerMinute, minute);
  const writes = limit('writes', settings.writesPerMinute, minute);
  const registrations = perNetwork('registrations', settings.registrationsPerAddressPerHour, hour);
  const allRegistrations = limit('all-registrations', settings.registrationsPerHour, hour);
  const fewAtOnce = makeSemaphore(4);
  const limitCommands = (name: string, max: number, what: string): CommandLimit => {
    const commands = limit(name, max, minute);
    return {
      take: async (agentId) =>
        refuse(await limiter.take(commands, agentId), 'rate_limited', `Too many ${what} by this agent in a minute.`),
      giveBack: (agentId) => limiter.giveBack(commands, agentId),
    };
  };
  return {
    limitRequests: (address: string) => {
      const verdict = takeNetworks(limiter, 'takeFast', requests, address);
      return verdict instanceof Promise ? verdict.then(refuseAddress) : refuseAddress(verdict);
    },
    limitWrites: async (agentId: string) =>
      refuse(await limiter.take(writes, agentId), 'write_limited', 'Too many changes by this agent in a minute.'),
    // A request that exceeds the limit of its address does not count towards the limit of all addresses. An attempt
    // only uses a slot once its body is validated, so slow or malformed requests do not block others.
    limitRegistrations: async (address: string) => {
      const own = await takeNetworks(limiter, 'take', registrations, address);
      return refuseRegistration(own.allowed ? limiter.judgeHeard(allRegistrations, 'all') : own);
    },
    inPlaceOfRegistration: <T>(register: () => Promise<T>): Promise<T> =>
      // Failed attempts must not use up the hourly limit.
      fewAtOnce(async () => {
        const full = refuseRegistration(await limiter.take(allRegistrations, 'all'));
        if (full !== undefined) throw full;
        return await register().catch((error: unknown) => {
          limiter.giveBack(allRegistrations, 'all');
          throw error;
        });
      }),
    limitContactRequests: limitCommands('contact-requests', settings.contactRequestsPerMinute, 'contact requests'),
    limitMessages: limitCommands('messages', settings.messagesPerMinute, 'messages'),
    close: async () => {
      limiter.close();
      await closeCounters();
    },
  };
}

/** Counts a request for each network of its address, narrowest first, until one is above its limit. */
function takeNetworks(
  limiter: ReturnType<typeof makeLimiter>,
  how: 'take' | 'takeFast',
  limits: readonly RateLimit[],
  address: string,
): RateLimitVerdict | Promise<RateLimitVerdict> {
  const counts = networkKeysOf(makeAddressKey(address)).flatMap((key, index) => {
    const limit = limits[index];
    return limit === undefined ? [] : [{ limit, key }];
  });
  // Requests above the limit of a wider network are not counted at all.
  const wider = counts.slice(1).map(({ limit, key }) => limiter.judgeHeard(limit, key));
  const full = wider.find((verdict) => !verdict.allowed);
  if (full !== undefined) return full;
  const takeFrom = (index: number): RateLimitVerdict | Promise<RateLimitVerdict> => {
    const count = counts[index];
    if (count === undefined) return allowedVerdict;
    const own = limiter[how](count.limit, count.key);
    const goOn = (verdict: RateLimitVerdict) => (verdict.allowed ? takeFrom(index + 1) : verdict);
    return own instanceof Promise ? own.then(goOn) : goOn(own);
  };
  return takeFrom(0);
}

// An embedded database belongs to one process, which therefore counts in memory.
function chooseCounters({ redisUrl }: Settings, store: Store, log: Logger) {
  const own = store.kind === 'pglite' ? makeMemoryCounters() : makeStoredCounters(store);
  if (redisUrl === undefined) return { counters: own, closeCounters: async () => undefined };
  const shared = makeRedisCounters(redisUrl, own, log);
  return { counters: shared, closeCounters: () => shared.close() };
}

function refuseAddress(verdict: RateLimitVerdict): Refusal | undefined {
  return refuse(verdict, 'rate_limited', 'Too many requests from this address in a minute.');
}

function refuseRegistration(verdict: RateLimitVerdict): Refusal | undefined {
  return refuse(verdict, 'registration_limited', 'Too many registrations in an hour.');
}

function refuse(
  verdict: RateLimitVerdict,
  code: 'rate_limited' | 'write_limited' | 'registration_limited',
  message: string,
): Refusal | undefined {
  if (verdict.allowed) return undefined;
  const { retryAfterSeconds } = verdict;
  return new Refusal(code, `${message} Wait ${retryAfterSeconds} s before the next request.`, { retryAfterSeconds });
}
