import { type Changeable, idIn, isAbout, parse, refusal, tokenOf, withJson } from '../faults.ts';
import { furtherMutants } from '../further-mutants.ts';
import { isAction, isCommand } from '../order-faults.ts';
import type { Fault, PassingReply, PassingRequest } from '../passing.ts';
import { repeatsReplies } from '../stateful-faults.ts';

// Repeated and concurrent commands on orders.

const creation = 'POST /api/v1/orders';

const table = `
makes a second offer of a changed repeat | the same operation_id with changed data gives a conflict | = changed offers are new
does a changed repeat of an action | the same operation_id with changed data gives a conflict | = changed actions are new
ignores a changed <title description deadline amount_minor> of a repeat | the same operation_id with changed data gives a conflict | = ignores <>
ignores a changed expected_version of a repeat | an identical repeat has the same expected_version | = ignores expected_version
ignores a changed reason of a repeat | the same operation_id with changed data gives a conflict | = ignores reason
ignores a changed result of a repeat | the same operation_id with changed data gives a conflict | = ignores result_text
answers strangers who repeat an action | other agents get 404 | = answers strangers
repeats an order command once | an identical repeat returns the stored result | = repeats once
forgets an action with the next one | an identical repeat returns the stored result | = forgets with the next
forgets an offer with its first action | an identical repeat returns the stored result | = forgets offers
forgets repeats of <accept start deliver complete dispute cancel> | an identical repeat returns the stored result | = forgets <>
answers a repeated offer with 201 | POST /orders: 200 on an identical repeat | POST /orders 200 -> 201
answers a repeated offer with another id | an identical repeat returns the stored result | POST /orders 200 -> set order.id uuid
answers a changed repeat with 422 | idempotency_conflict is 409 | POST /orders* 409 idempotency_conflict -> 422
calls a changed repeat a wrong state | idempotency_conflict: same id, changed content | POST /orders/* 409 idempotency_conflict -> code state_conflict
makes two offers of one request that arrives twice at once | an identical repeat returns the stored result | = two offers at once
refuses a repeat that arrives at once | an identical repeat returns the stored result | = busy repeats
tells both of two actions at once that they are done | version_conflict: expected_version differs from current | = both are done
`;

const operationOf = (sent: PassingRequest) => `${tokenOf(sent)} ${parse(sent.body)?.['operation_id']}`;

/** Changes commands whose operation was done before, by what was sent first. */
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

const isCreation = (sent: PassingRequest) => isAbout(sent, creation);
const isAnyAction = (sent: PassingRequest) => isAction(sent);

function asNew(sent: PassingRequest): PassingRequest {
  return withJson(sent, (body) => ({ ...body, operation_id: crypto.randomUUID() }));
}

function ignores(member: string): () => Fault {
  return repeated(isCommand, (sent, first) => {
    const value = parse(first.body)?.[member];
    return value === undefined ? sent : withJson(sent, (body) => ({ ...body, [member]: value }));
  });
}

const changedAreNew = (sent: PassingRequest, first: PassingRequest) => (sent.body === first.body ? sent : asNew(sent));

const forgets = (action: string) => repeated((sent) => isAction(sent, action), asNew);

export default furtherMutants(table, {
  faults: {
    'changed offers are new': repeated(isCreation, changedAreNew),
    'changed actions are new': repeated(isAnyAction, changedAreNew),
    'ignores title': ignores('title'),
    'ignores description': ignores('description'),
    'ignores deadline': ignores('deadline'),
    'ignores amount_minor': ignores('amount_minor'),
    'ignores expected_version': ignores('expected_version'),
    'ignores reason': ignores('reason'),
    'ignores result_text': ignores('result_text'),
    'answers strangers': repeatsReplies((sent) => (isAction(sent) ? `${sent.path} ${sent.body}` : undefined)),
    'repeats once': repeatsOnce,
    'forgets with the next': forgetsWithNext,
    'forgets offers': forgetsOffers,
    'forgets accept': forgets('accept'),
    'forgets start': forgets('start'),
    'forgets deliver': forgets('deliver'),
    'forgets complete': forgets('complete'),
    'forgets dispute': forgets('dispute'),
    'forgets cancel': forgets('cancel'),
    'two offers at once': () => atOnce(isCreation, operationOf, asNew),
    'busy repeats': () => atOnce(isCommand, operationOf, () => refusal(409, 'idempotency_conflict')),
    'both are done': bothAreDone,
  },
});

function repeatsOnce(): Fault {
  const answers = new Map<string, number>();
  return {
    onReply: (passing, sent) => {
      if (!isCommand(sent) || passing.status >= 300) return passing;
      const count = answers.get(operationOf(sent)) ?? 0;
      answers.set(operationOf(sent), count + 1);
      return count < 2 ? passing : refusal(409, 'idempotency_conflict');
    },
  };
}

/** Remembers the last operation of each order alone. */
function forgetsWithNext(): Fault {
  const last = new Map<string, string>();
  const done = new Set<string>();
  return {
    onRequest: (sent) => {
      const isOld = isAction(sent) && done.has(operationOf(sent)) && last.get(idIn(sent.path)) !== operationOf(sent);
      return isOld ? asNew(sent) : sent;
    },
    onReply: (passing, sent) => {
      if (!isAction(sent) || passing.status !== 200 || done.has(operationOf(sent))) return passing;
      done.add(operationOf(sent));
      last.set(idIn(sent.path), operationOf(sent));
      return passing;
    },
  };
}

/** Makes an offer anew when the one before has left its first state. */
function forgetsOffers(): Fault {
  const orders = new Map<string, unknown>();
  const left = new Set<unknown>();
  return {
    onRequest: (sent) => (isCreation(sent) && left.has(orders.get(operationOf(sent))) ? asNew(sent) : sent),
    onReply: (passing, sent) => {
      const { id, state } = (parse(passing.body)?.['order'] ?? {}) as Changeable;
      if (isCreation(sent) && id !== undefined) orders.set(operationOf(sent), id);
      if (id !== undefined && state !== 'offered') left.add(id);
      return passing;
    },
  };
}

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

/** Answers an action that has lost against another one at the same time with the order that the other has made. */
function bothAreDone(): Fault {
  const running = new Map<string, number>();
  const winners = new Map<string, PassingReply>();
  return {
    onRequest: (sent) => {
      if (isAction(sent)) running.set(idIn(sent.path), (running.get(idIn(sent.path)) ?? 0) + 1);
      return sent;
    },
    onReply: (passing, sent) => {
      if (!isAction(sent)) return passing;
      const id = idIn(sent.path);
      const left = (running.get(id) ?? 1) - 1;
      running.set(id, left);
      const winner = winners.get(id);
      if (passing.status === 200 && left > 0) winners.set(id, passing);
      if (left === 0) winners.delete(id);
      return passing.status === 409 && winner !== undefined ? winner : passing;
    },
  };
}
