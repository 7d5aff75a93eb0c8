import { type Endpoint, errorStatuses } from '@agent-platform/contract';
import { codeIn, idIn, parseJsonObject, refusal, tokenOf, withToken } from '../faults.ts';
import { objectIn, rememberAgents, textIn } from '../memories.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from '../passing.ts';
import { type GeneratedFault, makeFaultFactory } from './generated.ts';
import { isCallOf, isSuccessful, testedOperations } from './places.ts';

type Code = keyof typeof errorStatuses;

// Error codes that no request of a run causes; separate faults exist for the profile `limits`.
const beyondReach: readonly Code[] = [
  ...['ledger_conflict', 'storage_quota_exceeded', 'storage_record_limit', 'upload_busy', 'rate_limited'],
  ...['registration_limited', 'registration_unavailable', 'message_expired', 'internal_error', 'unavailable'],
] as const;

const codesOf = ({ auth, errors, params }: Endpoint): readonly Code[] => {
  const codes = new Set<Code>(errors);
  if (auth === 'bearer') codes.add('unauthorized');
  if (params !== undefined) codes.add('not_found');
  return [...codes].filter((code) => !beyondReach.includes(code));
};

/** Replaces the refusals of an operation that have this error code. */
const instead = (become: (reply: ProxiedReply) => ProxiedReply) => (operation: Endpoint, code: Code) => (): Fault => ({
  onReply: (reply, request) => (isCallOf(operation, request) && codeIn(reply) === code ? become(reply) : reply),
});

const mistaken = [409, 'state_conflict'] as const;
const mistakenFor: Partial<Record<Code, readonly [number, Code]>> = {
  not_found: [403, 'forbidden'],
  invalid_attachment: [403, 'forbidden'],
  forbidden: [404, 'not_found'],
  counterparty_required: [404, 'not_found'],
  recipient_required: [404, 'not_found'],
  unauthorized: [403, 'forbidden'],
  state_conflict: [403, 'forbidden'],
  attachment_already_bound: [404, 'invalid_attachment'],
};

const operators: readonly (readonly [string, string, (operation: Endpoint, code: Code) => () => Fault])[] = [
  ['answers 500 instead of', 'no request causes a 500', instead(() => refusal(500, 'internal_error'))],
  [
    'has another status for',
    'a code has the specified status',
    (operation, code) => instead(() => refusal(errorStatuses[code] === 400 ? 422 : 400, code))(operation, code),
  ],
  ['has another code for', 'a refusal has the specified code', instead(({ status }) => refusal(status, 'refused'))],
  [
    'mistakes',
    'each refusal has the specified status and code',
    (operation, code) => instead(() => refusal(...(mistakenFor[code] ?? mistaken)))(operation, code),
  ],
  ['accepts what it should refuse with', 'a request that must be refused does not succeed', accepts],
  ['does what it refuses with', 'a refused request has no effect', doesAll],
];

const namedSuccess = makeFaultFactory('has another good status', 'a success has the specified status');
const successFaults = testedOperations
  .filter(({ replies }) => replies[206] === undefined)
  .map((operation) =>
    namedSuccess(operation.id, '', () => ({
      onReply: (reply, request) => {
        if (!isSuccessful(reply) || !isCallOf(operation, request)) return reply;
        return { ...reply, status: reply.status === 200 ? 201 : 200 };
      },
    })),
  );

export const refusalFaults: readonly GeneratedFault[] = [
  ...successFaults,
  ...operators.flatMap(([operator, violates, make]) => {
    const named = makeFaultFactory(operator, violates);
    return testedOperations.flatMap((operation) =>
      codesOf(operation).flatMap((code) =>
        isPossible(operator, operation, code) ? named(operation.id, code, make(operation, code)) : [],
      ),
    );
  }),
];

// Reads have no effect, so they cannot do what they refuse.
function isPossible(operator: string, { method }: Endpoint, code: Code): boolean {
  return operator !== 'does what it refuses with' || (method !== 'GET' && code !== 'unauthorized');
}

/** Answers a refused request with the operation's last successful answer, preferably one to the same caller. */
function accepts(operation: Endpoint, code: Code) {
  return (): Fault => {
    const good = new Map<string | undefined, ProxiedReply>();
    return {
      onReply: (reply, request) => {
        if (!isCallOf(operation, request)) return reply;
        if (isSuccessful(reply)) good.set(tokenOf(request), reply);
        if (codeIn(reply) !== code) return reply;
        return good.get(tokenOf(request)) ?? [...good.values()].at(-1) ?? { ...reply, status: 200, body: '{}' };
      },
    };
  };
}

/** Repeats a refused request so that it succeeds: with another token, or with parts of the last successful one. */
function doesAll(operation: Endpoint, code: Code) {
  return (): Fault => {
    const good = new Map<string | undefined, ProxiedRequest>();
    const callers = new Map<string, string>();
    const { note, tokenOfAgent } = rememberAgents();
    return {
      onReply: (reply, request) => {
        note(reply, request);
        if (isSuccessful(reply) && idIn(request.path) !== '') callers.set(idIn(request.path), tokenOf(request) ?? '');
        // The recipient of a contact request may perform actions on it that the sender may not.
        const recipient = tokenOfAgent(textIn(parseJsonObject(request.body), 'recipient_id'));
        const contact = textIn(objectIn(reply, 'contact'), 'contact_id');
        if (contact !== '' && recipient !== undefined) callers.set(contact, recipient);
        if (isCallOf(operation, request) && isSuccessful(reply)) good.set(tokenOf(request), request);
        return reply;
      },
      also: (reply, request) => {
        if (!isCallOf(operation, request) || codeIn(reply) !== code) return undefined;
        const caller = callers.get(idIn(request.path));
        if (caller !== undefined && caller !== tokenOf(request)) return withToken(request, caller);
        return repaired(request, good.get(tokenOf(request)));
      },
    };
  };
}

/** Makes a refused request valid with parts of the last successful one; undefined without one. */
function repaired(request: ProxiedRequest, good: ProxiedRequest | undefined): ProxiedRequest | undefined {
  const body = parseJsonObject(good?.body ?? '');
  if (good === undefined || body === undefined) return undefined;
  const keys = ['operation_id', 'client_message_id'].filter((name) => name in body);
  const renewed = Object.fromEntries(keys.map((name) => [name, crypto.randomUUID()]));
  return { ...good, path: request.path, body: JSON.stringify({ ...body, ...renewed }) };
}
