import { randomBytes } from 'node:crypto';
import { idIn, isAbout, type MutableObject, parseJsonObject, tokenOf, withJson, withToken } from './faults.ts';
import { countInProgress, objectIn, textIn } from './memories.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from './passing.ts';

type Selection = (request: ProxiedRequest) => boolean;

/** Answers later requests for a path with the caller's first reply, so that a record stays readable. */
export function repeatFirstReplies(isMeant: Selection): () => Fault {
  return () => {
    const seen = new Map<string, ProxiedReply>();
    return {
      onReply: (passing, request) => {
        if (!isMeant(request)) return passing;
        const key = `${tokenOf(request)} ${request.method} ${request.path}`;
        if (passing.status === 200 && !seen.has(key)) seen.set(key, passing);
        return seen.get(key) ?? passing;
      },
    };
  };
}

/** Sends the selected requests of every caller with the token of the record's author. */
export function authorizeEveryone(member: string, isMeant: Selection): () => Fault {
  return () => {
    const authors = new Map<string, string>();
    return {
      onRequest: (request) => {
        const author = authors.get(idIn(request.path));
        return author !== undefined && isMeant(request) ? withToken(request, author) : request;
      },
      onReply: (passing, request) => {
        const record = parseJsonObject(passing.body)?.[member] as MutableObject | undefined;
        const token = tokenOf(request);
        const isCreation = request.method === 'POST' && idIn(request.path) === '';
        if (isCreation && typeof record?.['id'] === 'string' && token !== undefined) authors.set(record['id'], token);
        return passing;
      },
    };
  };
}

/** Adds the last valid token to requests without a token. */
export function reuseTokens(isMeant: Selection): () => Fault {
  return () => {
    let last = '';
    return {
      onRequest: (request) => (tokenOf(request) === undefined && isMeant(request) ? withToken(request, last) : request),
      onReply: (passing, request) => {
        if (passing.status === 200) last = tokenOf(request) ?? last;
        return passing;
      },
    };
  };
}

/** Refuses a request while another one with the same key is being handled. Without `keyOf`, all have the same key. */
export function refuseConcurrent(
  isMeant: Selection,
  refused: ProxiedReply,
  keyOf: (request: ProxiedRequest) => unknown = () => '',
): () => Fault {
  return () => {
    const busy = new Set<unknown>();
    return {
      onRequest: (request) => {
        if (!isMeant(request)) return request;
        if (busy.has(keyOf(request))) return refused;
        busy.add(keyOf(request));
        return request;
      },
      onReply: (passing, request) => {
        if (isMeant(request)) busy.delete(keyOf(request));
        return passing;
      },
    };
  };
}

/** Answers a repeated request with the first successful answer; requests with the same `keyOf` are repeats. */
export function repeatReplies(keyOf: (request: ProxiedRequest) => unknown, status?: number): () => Fault {
  return () => {
    const first = new Map<unknown, ProxiedReply>();
    return {
      onRequest: (request) => {
        const key = keyOf(request);
        return (key === undefined ? undefined : first.get(key)) ?? request;
      },
      onReply: (passing, request) => {
        const key = keyOf(request);
        if (key !== undefined && passing.status < 300) first.set(key, { ...passing, status: status ?? passing.status });
        return passing;
      },
    };
  };
}

/** Makes a fault that starts after the first successful request whose path ends with `end`. */
export function startFaultAfter(end: string, makeFault: () => Fault): () => Fault {
  return () => {
    const { onReply } = makeFault();
    let isOver = false;
    return {
      onReply: (passing, request) => {
        isOver ||= passing.status === 200 && request.path.endsWith(end);
        return isOver ? (onReply?.(passing, request) ?? passing) : passing;
      },
    };
  };
}

/** The handle in a registration request; empty for any other request. */
export const handleOf = (sent: ProxiedRequest) =>
  isAbout(sent, 'POST /api/v1/bots/register') ? textIn(parseJsonObject(sent.body), 'handle') : '';

/** Allows the second of two concurrent registrations of a handle. */
export function acceptConcurrentHandles(): Fault {
  const { begin, end } = countInProgress();
  const renamed = new Map<ProxiedRequest, string>();
  return {
    onRequest: (sent) => {
      const handle = handleOf(sent);
      if (handle === '' || !begin(handle)) return sent;
      renamed.set(sent, handle);
      return withJson(sent, (body) => ({
        ...body,
        handle: `${handle.slice(0, 24)}_${randomBytes(3).toString('hex')}`,
      }));
    },
    onReply: (reply, sent) => {
      end(handleOf(sent));
      const handle = renamed.get(sent);
      const bot = objectIn(reply, 'bot');
      if (handle === undefined || bot === undefined) return reply;
      return withJson(reply, (body) => ({ ...body, bot: { ...bot, handle } }));
    },
  };
}
