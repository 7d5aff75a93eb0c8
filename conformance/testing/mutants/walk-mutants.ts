import { parseFaults } from '../fault-language.ts';
import {
  changeInnerObject,
  codeIn,
  idIn,
  isAbout,
  type MutableObject,
  parseJsonObject,
  tokenOf,
  withJson,
} from '../faults.ts';
import { isOrderAction } from '../order-faults.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from '../passing.ts';

/** With these options, the random walks detect all of these servers; with another seed, most of them. */
export const walkMutantOptions = { seed: 22, walkSteps: 30 };

/** Servers with faults that only a sequence of commands reveals. */
export const walkMutants = parseFaults(
  'walks',
  `
shows a deleted post again after a refused change | posts | = revives
returns the price of an offer that was rejected when its cancellation is refused | orders | = returnsTwice
takes a unit when a start is repeated | orders | = repeatsStart
loses a unit of the second order that is closed | orders | = losesUnit
accepts a request that its requester has tried to accept twice | requests | = acceptsInTheEnd
ends a friendship when its acceptance is repeated after a message | friends | = endsFriendship
sends a message after a refused acceptance of a blocked contact | blocks | = opensForMessages
`,
  {},
  {
    revives: () => {
      const seen = new Map<string, ProxiedReply>();
      const revived = new Set<string>();
      return onReplies((reply, request) => {
        const key = `${tokenOf(request)} ${request.path}`;
        if (request.method === 'GET' && reply.status === 200) seen.set(key, reply);
        if (request.method === 'PATCH' && reply.status === 404) revived.add(key);
        return request.method === 'GET' && revived.has(key) ? (seen.get(key) ?? reply) : reply;
      }, '* /api/v1/posts/*');
    },
    returnsTwice: () => {
      const rejected = new Set<string>();
      return walletFault((reply, request) => {
        const id = idIn(request.path);
        if (isOrderAction(request, 'reject') && reply.status === 200) rejected.add(id);
        return isOrderAction(request, 'cancel') && reply.status >= 400 && rejected.has(id) ? 1 : 0;
      });
    },
    repeatsStart: () => {
      const seen = new Set<string>();
      return walletFault((reply, request) => {
        if (!isOrderAction(request, 'start') || reply.status !== 200) return 0;
        const isRepeat = seen.has(request.body);
        seen.add(request.body);
        return isRepeat ? -1 : 0;
      });
    },
    losesUnit: () => {
      const closed = new Set<string>();
      return walletFault((reply, request) => {
        const { state, id } = (parseJsonObject(reply.body)?.['order'] ?? {}) as MutableObject;
        if (!isOrderAction(request, 'complete', 'approve-refund') || state !== 'closed' || closed.has(String(id)))
          return 0;
        closed.add(String(id));
        return closed.size % 2 === 0 ? -1 : 0;
      });
    },
    acceptsInTheEnd: () => {
      let refused = 0;
      return onReplies((reply, request) => {
        if (request.path.endsWith('/accept') && codeIn(reply) === 'recipient_required') refused += 1;
        return refused >= 2 ? showing(reply, /outgoing|incoming/, 'friends') : reply;
      }, '* /api/v1/contacts*');
    },
    endsFriendship: () => {
      let isSent = false;
      let isEnded = false;
      return onReplies((reply, request) => {
        isSent ||= isAbout(request, 'POST /api/v1/messages') && reply.status === 201;
        isEnded ||= isSent && request.path.endsWith('/accept');
        return isEnded && request.method === 'GET' ? showing(reply, /friends/, 'outgoing') : reply;
      }, '* /api/v1/*');
    },
    opensForMessages: () => {
      const opened = new Set<string | undefined>();
      return onReplies((reply, request) => {
        if (request.path.endsWith('/accept') && reply.status >= 400) opened.add(tokenOf(request));
        const isOpen = isAbout(request, 'POST /api/v1/messages') && opened.has(tokenOf(request));
        return isOpen ? { ...reply, status: 201, body: '{"message":{}}' } : reply;
      }, '* /api/v1/*');
    },
  },
);

/** Replaces a status, wherever it occurs in a reply, by another one. */
function showing(reply: ProxiedReply, before: RegExp, status: string): ProxiedReply {
  return { ...reply, body: reply.body.replaceAll(new RegExp(`"(${before.source})"`, 'g'), `"${status}"`) };
}

function onReplies(become: (reply: ProxiedReply, request: ProxiedRequest) => ProxiedReply, about: string): Fault {
  return { onReply: (reply, request) => (isAbout(request, about) ? become(reply, request) : reply) };
}

/** Adds the sum of `changeOf` for all earlier answers to the available credits in the caller's wallet. */
function walletFault(changeOf: (reply: ProxiedReply, request: ProxiedRequest) => number): Fault {
  const changes = new Map<string | undefined, number>();
  return {
    onReply: (reply, request) => {
      const token = tokenOf(request);
      const change = (changes.get(token) ?? 0) + changeOf(reply, request);
      changes.set(token, change);
      if (!isAbout(request, 'GET /api/v1/wallet') || change === 0) return reply;
      const moved = (wallet: MutableObject) => ({
        ...wallet,
        available_minor: Number(wallet['available_minor']) + change,
        total_minor: Number(wallet['total_minor']) + change,
      });
      return withJson(reply, changeInnerObject('wallet', moved));
    },
  };
}
