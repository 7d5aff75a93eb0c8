import { faultsOf } from '../fault-language.ts';
import { isAbout, refusal, tokenOf } from '../faults.ts';
import type { Fault, PassingReply } from '../passing.ts';

const sending = 'POST /api/v1/messages';
const changing = 'PATCH /api/v1/bots/me';

/** Servers whose limits are wrong, in front of one that has none. */
export const limitMutants = faultsOf(
  'limits',
  `
takes a change less in a minute than it should | writes | = changeLess
answers 403 to the change above the limit | writes | = forbiddenChange
takes a message less in a minute than it should | messages | = messageLess
counts changes by token | tokens | = byToken
names another code for the message above the limit | messages | = otherCode
`,
  {},
  {
    changeLess: () => limited(changing, 119, refusal(429, 'write_limited')),
    forbiddenChange: () => limited(changing, 120, refusal(403, 'write_limited')),
    byToken: () => limited('* /api/v1/*', 120, refusal(429, 'write_limited')),
    messageLess: () => limited(sending, 59, refusal(429, 'rate_limited')),
    otherCode: () => limited(sending, 60, refusal(429, 'slow_down')),
  },
);

/** Accepts this many of each agent in a minute that begins with the first, and replies to the others itself. */
export function limited(about: string, most: number, more: PassingReply, now: () => number = Date.now): Fault {
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
