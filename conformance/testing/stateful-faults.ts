import { type Changeable, idIn, parse, tokenOf, withToken } from './faults.ts';
import type { Fault, PassingReply, PassingRequest } from './passing.ts';

type Selection = (request: PassingRequest) => boolean;

/** Repeats the first reply to a request for ever: nothing is hidden again. */
export function staysAsSeen(isMeant: Selection): () => Fault {
  return () => {
    const seen = new Map<string, PassingReply>();
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

/** Gives every caller the rights of a record's author, where the request is selected. */
export function lendsToEverybody(member: string, isMeant: Selection): () => Fault {
  return () => {
    const authors = new Map<string, string>();
    return {
      onRequest: (request) => {
        const author = authors.get(idIn(request.path));
        return author !== undefined && isMeant(request) ? withToken(request, author) : request;
      },
      onReply: (passing, request) => {
        const record = parse(passing.body)?.[member] as Changeable | undefined;
        const token = tokenOf(request);
        const isCreation = request.method === 'POST' && idIn(request.path) === '';
        if (isCreation && typeof record?.['id'] === 'string' && token !== undefined) authors.set(record['id'], token);
        return passing;
      },
    };
  };
}

/** Lends a request without a token the last one that worked. */
export function lendsTokens(isMeant: Selection): () => Fault {
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

/** Refuses a request while another one like it is being handled. */
export function refusesMeanwhile(isMeant: Selection, refused: PassingReply): () => Fault {
  return () => {
    let isBusy = false;
    return {
      onRequest: (request) => {
        if (!isMeant(request)) return request;
        if (isBusy) return refused;
        isBusy = true;
        return request;
      },
      onReply: (passing, request) => {
        if (isMeant(request)) isBusy = false;
        return passing;
      },
    };
  };
}

/** Replies to a repeated request as it did to the first good one; `keyOf` tells which are the same. */
export function repeatsReplies(keyOf: (request: PassingRequest) => unknown, status?: number): () => Fault {
  return () => {
    const first = new Map<unknown, PassingReply>();
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

/** A fault that begins when a request to a path with this end has succeeded. */
export function after(end: string, makeFault: () => Fault): () => Fault {
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
