import type { Endpoint } from '@agent-platform/contract';
import { orderTransitions } from '@agent-platform/contract';
import { codeIn, idIn, parseJsonObject, refusal, tokenOf, withJson } from '../faults.ts';
import { partOf, withField } from '../forms.ts';
import { countInProgress, pathBelowApi, textIn } from '../memories.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from '../passing.ts';
import { type GeneratedFault, makeFaultFactory } from './generated.ts';
import { type ContractSchema, isCallOf, isSuccessful, membersOf, testedOperations } from './places.ts';

const withKey = testedOperations.filter(({ repeat }) => repeat === 'with-key');
const keyName = ({ id }: Endpoint) => (id === 'sendMessage' ? 'client_message_id' : 'operation_id');

function keyOf(operation: Endpoint, request: ProxiedRequest): string | undefined {
  if (!isCallOf(operation, request)) return undefined;
  const key =
    operation.form === undefined ? parseJsonObject(request.body)?.[keyName(operation)] : partOf(request, 'upload_id');
  return typeof key === 'string' ? key : undefined;
}

function renewed(operation: Endpoint, request: ProxiedRequest): ProxiedRequest {
  const key = crypto.randomUUID();
  if (operation.form !== undefined) return withField(request, 'upload_id', key);
  return withJson(request, (body) => ({ ...body, [keyName(operation)]: key }));
}

/** What the fault stores about the first request with an idempotency key. */
interface First {
  readonly agent: string;
  readonly request: ProxiedRequest;
  readonly works: number;
  reply?: ProxiedReply;
}

/** Changes to repeated requests with an idempotency key, or to their answers. */
interface OnRepeat {
  readonly ask?: (
    request: ProxiedRequest,
    first: First & { readonly isOwn: boolean },
    works: number,
  ) => ProxiedRequest | ProxiedReply;
  readonly answer?: (reply: ProxiedReply, first: First, last: ProxiedReply | undefined) => ProxiedReply;
}

function onRepeats(operation: Endpoint, { ask, answer }: OnRepeat): () => Fault {
  return () => {
    const firsts = new Map<string, First>();
    const repeats = new WeakSet<ProxiedRequest>();
    let works = 0;
    let last: ProxiedReply | undefined;
    // An agent keeps its idempotency keys when its token changes.
    const agents = new Map<string, string>();
    const agentOf = (request: ProxiedRequest) => agents.get(tokenOf(request) ?? '') ?? `${tokenOf(request)}`;
    return {
      onRequest: (request) => {
        if (request.method !== 'GET') works += 1;
        const key = keyOf(operation, request);
        if (key === undefined) return request;
        const first = firsts.get(key);
        if (first === undefined) {
          firsts.set(key, { agent: agentOf(request), request, works });
          return request;
        }
        repeats.add(request);
        return ask?.(request, { ...first, isOwn: first.agent === agentOf(request) }, works) ?? request;
      },
      onReply: (reply, request) => {
        const issued = textIn(parseJsonObject(reply.body), 'token');
        if (pathBelowApi(request) === '/tokens/rotate' && issued !== '') agents.set(issued, agentOf(request));
        const first = firsts.get(keyOf(operation, request) ?? '');
        if (first === undefined) return reply;
        if (repeats.has(request)) return answer?.(reply, first, last) ?? reply;
        if (isSuccessful(reply)) {
          first.reply = reply;
          last = reply;
        }
        return reply;
      },
    };
  };
}

const secondMs = 1_000;
const once = 'a repeat creates no second record';
const same = 'a repeat returns the stored answer';

const operators: readonly (readonly [string, string, (operation: Endpoint) => () => Fault])[] = [
  [
    'forgets keys',
    once,
    (operation) =>
      onRepeats(operation, {
        ask: (request, first) => (first.isOwn ? renewed(operation, request) : request),
      }),
  ],
  [
    'forgets keys after other work',
    once,
    (operation) =>
      onRepeats(operation, {
        ask: (request, first, works) =>
          first.isOwn && works > first.works + 1 ? renewed(operation, request) : request,
      }),
  ],
  [
    'forgets keys after a second',
    once,
    (operation) =>
      onRepeats(operation, {
        ask: (request, first) =>
          first.isOwn && (request.atMs ?? 0) > (first.request.atMs ?? 0) + secondMs
            ? renewed(operation, request)
            : request,
      }),
  ],
  [
    'answers repeats with 201',
    same,
    (operation) =>
      onRepeats(operation, {
        answer: (reply) =>
          reply.status === 200 ? { ...reply, status: operation.replies[201] === undefined ? 202 : 201 } : reply,
      }),
  ],
  [
    'refuses repeats',
    same,
    (operation) =>
      onRepeats(operation, {
        answer: (reply) => (reply.status === 200 ? refusal(409, 'idempotency_conflict') : reply),
      }),
  ],
  [
    'answers repeats with the last record',
    same,
    (operation) =>
      onRepeats(operation, {
        answer: (reply, _, last) => (reply.status === 200 && last !== undefined ? { ...last, status: 200 } : reply),
      }),
  ],
  [
    'compares keys alone',
    'reusing an idempotency key with different content is a conflict',
    (operation) =>
      onRepeats(operation, {
        answer: (reply, { reply: stored }) =>
          reply.status === 409 && stored !== undefined ? { ...stored, status: 200 } : reply,
      }),
  ],
  [
    'shares keys of agents',
    'an idempotency key is unique only per agent',
    (operation) =>
      onRepeats(operation, {
        ask: (request, first) => (first.isOwn ? request : refusal(409, 'idempotency_conflict')),
      }),
  ],
];

const repeatFaults = operators.flatMap(([operator, violates, make]) => {
  const named = makeFaultFactory(operator, violates);
  return withKey.map((operation) => named(operation.id, '', make(operation)));
});

const namedMember = makeFaultFactory('compares no', 'reusing an idempotency key with different content is a conflict');
const memberFaults = withKey.flatMap((operation) =>
  membersOf((operation.body ?? operation.form) as ContractSchema | undefined)
    .map(({ path: [name = ''] }) => name)
    .filter((name) => name !== keyName(operation) && name !== 'upload_id')
    .map((name) =>
      namedMember(
        operation.id,
        name,
        onRepeats(operation, {
          ask: (request, first) => {
            if (!first.isOwn || request.path !== first.request.path) return request;
            if (operation.form !== undefined) return withField(request, name, partOf(first.request, name) ?? '');
            const stored = parseJsonObject(first.request.body) ?? {};
            return withJson(request, (body) => ({ ...body, [name]: stored[name] }));
          },
        }),
      ),
    ),
);

/** Of concurrent calls of this kind about the same subject, only one may succeed. */
interface Pair {
  readonly place: string;
  readonly isMeant: (request: ProxiedRequest) => boolean;
}

const actionOf = (request: ProxiedRequest) => /^\/api\/v1\/orders\/[^/]+\/([^/?]+)$/.exec(request.path)?.[1] ?? '';
const transitions = Object.values(orderTransitions);
const pairs: readonly Pair[] = [
  ...testedOperations
    // Concurrent calls of any other operation may all succeed.
    .filter(
      ({ id, path }) =>
        ['registerBot', 'rotateToken', 'deletePost', 'sendMessage'].includes(id) || path.includes('{order_id}/'),
    )
    .map((operation): Pair => ({ place: operation.id, isMeant: (request) => isCallOf(operation, request) })),
  ...transitions.flatMap((one, at) =>
    transitions.slice(at + 1).flatMap((other): readonly Pair[] => {
      const isShared = one.from.some((state) => (other.from as readonly string[]).includes(state));
      const names = [one.action, other.action] as readonly string[];
      return isShared ? [{ place: names.join(' and '), isMeant: (request) => names.includes(actionOf(request)) }] : [];
    }),
  ),
];

/** Changes the answer to a call that arrives while another one about the same subject is being handled. */
function inRaces(
  { isMeant }: Pair,
  become: (reply: ProxiedReply, winner: ProxiedReply | undefined) => ProxiedReply,
): () => Fault {
  return () => {
    const { begin, end } = countInProgress();
    const raced = new Set<string>();
    const good = new Map<string, ProxiedReply>();
    const aimOf = (request: ProxiedRequest) =>
      idIn(request.path) ||
      textIn(parseJsonObject(request.body), 'handle') ||
      idIn(request.body) ||
      tokenOf(request) ||
      '';
    return {
      onRequest: (request) => {
        if (isMeant(request) && begin(aimOf(request))) raced.add(aimOf(request));
        return request;
      },
      onReply: (reply, request) => {
        if (!isMeant(request)) return reply;
        const aim = aimOf(request);
        end(aim);
        if (isSuccessful(reply)) good.set(aim, reply);
        return raced.has(aim) ? become(reply, good.get(aim) ?? [...good.values()].at(-1)) : reply;
      },
    };
  };
}

const conflicts = [
  'state_conflict',
  'version_conflict',
  'idempotency_conflict',
  'nonce_reuse',
  'handle_unavailable',
  'insufficient_funds',
  'unauthorized',
  'not_found',
  'attachment_already_bound',
];
const raceOperators: readonly (readonly [
  string,
  string,
  (reply: ProxiedReply, winner: ProxiedReply | undefined) => ProxiedReply,
])[] = [
  [
    'lets both of two parallel calls succeed',
    'of two calls that exclude each other, only one takes effect',
    (reply, winner) => (conflicts.includes(codeIn(reply) ?? '') && winner !== undefined ? winner : reply),
  ],
  [
    'refuses both of two parallel calls',
    'of two calls that exclude each other, only one takes effect',
    (reply) => (isSuccessful(reply) ? refusal(409, 'state_conflict') : reply),
  ],
  ['answers 500 to parallel calls', 'no request causes a 500', () => refusal(500, 'internal_error')],
];

const raceFaults = raceOperators.flatMap(([operator, violates, become]) => {
  const named = makeFaultFactory(operator, violates);
  return pairs.map((pair) => named(pair.place, '', inRaces(pair, become)));
});

export const repetitionFaults: readonly GeneratedFault[] = [...repeatFaults, ...memberFaults, ...raceFaults];
