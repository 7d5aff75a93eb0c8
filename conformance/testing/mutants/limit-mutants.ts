import { isAbout, type Mutant, mutant, refusal, tokenOf } from '../faults.ts';
import type { Fault, PassingAnswer } from '../proxy.ts';

const sending = 'POST /api/v1/messages';
const changing = 'PATCH /api/v1/bots/me';

/** Servers whose limits are wrong, in front of one that has none. */
export const limitMutants: readonly Mutant[] = [
  mutant('takes a change less in a minute than it should', ['limits.writes'], () =>
    limited(changing, 119, refusal(429, 'write_limited')),
  ),
  mutant('answers 403 to the change that is too much', ['limits.writes'], () =>
    limited(changing, 120, refusal(403, 'write_limited')),
  ),
  mutant('takes a message less in a minute than it should', ['limits.messages'], () =>
    limited(sending, 59, refusal(429, 'rate_limited')),
  ),
  mutant('names another code for the message that is too much', ['limits.messages'], () =>
    limited(sending, 60, refusal(429, 'slow_down')),
  ),
];

/** Takes so many of each agent in a minute that begins with the first, and answers the others itself. */
export function limited(about: string, most: number, more: PassingAnswer, now: () => number = Date.now): Fault {
  const minutes = new Map<string | undefined, { readonly startedAt: number; count: number }>();
  return {
    onRequest: (request) => {
      if (!isAbout(request, about)) return request;
      const known = minutes.get(tokenOf(request));
      const minute = known !== undefined && now() - known.startedAt < 60_000 ? known : { startedAt: now(), count: 0 };
      minutes.set(tokenOf(request), minute);
      minute.count += 1;
      return minute.count > most ? more : request;
    },
  };
}
