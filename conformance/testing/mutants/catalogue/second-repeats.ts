import { catalogueMutants } from '../../catalogue-mutants.ts';
import { parse, refusal, tokenOf, withJson } from '../../faults.ts';
import { isAction, isCommand } from '../../order-faults.ts';
import type { Fault, PassingReply, PassingRequest } from '../../passing.ts';
import { repeatsReplies } from '../../stateful-faults.ts';

const table = `
ignores a changed <title description deadline amount_minor> of a repeat | the same operation_id with changed data gives a conflict | = ignores <>
answers strangers who repeat an action | other agents get 404 | = answers strangers
answers a repeated offer with another id | an identical repeat returns the stored result | POST /orders 200 -> set order.id uuid
answers a changed repeat with 422 | idempotency_conflict is 409 | POST /orders* 409 idempotency_conflict -> 422
refuses a repeat that arrives at once | an identical repeat returns the stored result | = busy repeats
`;

const operationOf = (sent: PassingRequest) => `${tokenOf(sent)} ${parse(sent.body)?.['operation_id']}`;

/** Changes repeated commands by their first request. */
function repeated(
  isMeant: (request: PassingRequest) => boolean,
  become: (request: PassingRequest, first: PassingRequest) => PassingRequest | PassingReply,
): () => Fault {
  return () => {
    const done = new Map<string, PassingRequest>();
    return {
      onRequest: (sent) => {
        const first = isMeant(sent) ? done.get(operationOf(sent)) : undefined;
        return first === undefined ? sent : become(sent, first);
      },
      onReply: (passing, sent) => {
        const key = operationOf(sent);
        if (isMeant(sent) && passing.status < 300 && !done.has(key)) done.set(key, sent);
        return passing;
      },
    };
  };
}

function ignores(member: string): () => Fault {
  return repeated(isCommand, (sent, first) => {
    const value = parse(first.body)?.[member];
    return value === undefined ? sent : withJson(sent, (body) => ({ ...body, [member]: value }));
  });
}

export default catalogueMutants(table, {
  faults: {
    'ignores title': ignores('title'),
    'ignores description': ignores('description'),
    'ignores deadline': ignores('deadline'),
    'ignores amount_minor': ignores('amount_minor'),
    'answers strangers': repeatsReplies((sent) => (isAction(sent) ? `${sent.path} ${sent.body}` : undefined)),
    'busy repeats': () => atOnce(isCommand, operationOf, () => refusal(409, 'idempotency_conflict')),
  },
});

/** Changes a request while another one with its key is handled. */
function atOnce(
  isMeant: (sent: PassingRequest) => boolean,
  keyOf: (sent: PassingRequest) => string,
  become: (sent: PassingRequest) => PassingRequest | PassingReply,
): Fault {
  const running = new Map<string, number>();
  const count = (key: string) => running.get(key) ?? 0;
  return {
    onRequest: (sent) => {
      if (!isMeant(sent)) return sent;
      const key = keyOf(sent);
      const next = count(key) > 0 ? become(sent) : sent;
      if (!('status' in next)) running.set(key, count(key) + 1);
      return next;
    },
    onReply: (passing, sent) => {
      if (isMeant(sent)) running.set(keyOf(sent), count(keyOf(sent)) - 1);
      return passing;
    },
  };
}
