import { type Check, defineCheck, freshAgent, type Run } from '../context/check.ts';
import { expect } from '../context/expectations.ts';
import type { Exchange } from '../context/http/http-client.ts';
import { parseBearerToken } from '../context/http/http-client.ts';
import type { SentRequest } from '../context/journal.ts';
import { isObject, parseJson } from '../context/json.ts';
import { contactsPath, filesPath, messagesPath, ordersPath, postsPath } from '../context/paths.ts';
import { friendPair } from './contacts/agent-pairs.ts';
import type { AgentPair } from './contacts/contacting.ts';
import { sendText } from './messages/messaging.ts';

/** A type of request that the server must still remember at the end of a run. */
interface Memory {
  readonly requirement: string;
  /** The requests are identified by method, path and status. */
  readonly method: 'POST' | 'DELETE';
  readonly path: RegExp;
  readonly statuses: readonly number[];
  /** Sends another request instead of a repeat of the original one. */
  readonly ask?: (first: SentRequest, caller: Caller, run: Run) => Promise<Exchange>;
  readonly judge: (answer: Exchange, first: SentRequest) => void;
}

type Caller = Run['anonymous'];

const action = new RegExp(`^${ordersPath}/[^/]+/[a-z-]+$`);
const good = [200, 201];
const memories: readonly Memory[] = [
  { requirement: 'AP-MESSAGE-012', method: 'POST', path: exactly(messagesPath), statuses: good, judge: expectStored },
  { requirement: 'AP-FILE-003', method: 'POST', path: exactly(filesPath), statuses: good, judge: expectStored },
  { requirement: 'AP-ORDER-023', method: 'POST', path: exactly(ordersPath), statuses: good, judge: expectStored },
  { requirement: 'AP-ORDER-070', method: 'POST', path: action, statuses: good, judge: expectStored },
  {
    requirement: 'AP-ORDER-072',
    method: 'POST',
    path: action,
    statuses: good,
    ask: (first, caller) => repeat(first, caller, { expected_version: 1_000 }),
    judge: (answer) => expect.refusal(answer, 409, 'idempotency_conflict'),
  },
  {
    requirement: 'AP-MESSAGE-023',
    method: 'POST',
    path: exactly(messagesPath),
    statuses: good,
    ask: (first, caller, run) => repeat(first, caller, { client_message_id: run.random.uuid() }),
    judge: (answer) => expect.refusal(answer, 409, 'nonce_reuse'),
  },
  {
    requirement: 'AP-FILE-010',
    method: 'POST',
    path: exactly(filesPath),
    statuses: [400],
    judge: (answer, { text }) => {
      if (text.includes('invalid_file')) expect.refusal(answer, 409, 'upload_unavailable');
    },
  },
  {
    requirement: 'AP-POST-019',
    method: 'DELETE',
    path: new RegExp(`^${postsPath}/`),
    statuses: [200],
    ask: ({ request }, caller) => caller.get(request.path),
    judge: (answer) => expect.notFound(answer),
  },
  {
    requirement: 'AP-CONTACT-028',
    method: 'POST',
    path: new RegExp(`^${contactsPath}/[^/]+/block$`),
    statuses: [200],
    ask: ({ request }, caller) => caller.post(request.path.replace(/block$/, 'accept'), {}),
    // If the blocking agent requested the contact, the code is `recipient_required`.
    judge: (answer) => expect.refused(answer, 'contact_blocked', 'recipient_required'),
  },
];

export const lateRepeatChecks: readonly Check[] = [
  defineCheck(freshAgent, {
    id: 'repeats.late',
    covers: ['AP-MESSAGE-012'],
    rule: 'At the end of a run the server still remembers its first requests: repeats, nonces, refused uploads, deletions and blocks.',
    cost: { writes: 26, messages: 3, uploads: 2 },
    async judge(fresh, run) {
      const friends = await friendPair(run);
      const { alice, bob } = friends;
      await sendText(run, alice, bob, 'At the latest.');
      const callers = new Map([alice, bob, fresh].map((agent) => [agent.id, agent]));
      for (const { requirement, ask, judge, ...memory } of memories) {
        const firsts = firstOf(run, friends, callers, memory);
        // Other checks test an immediate repeat, so this one can only fail the requirement.
        await run.requirement(
          requirement,
          async () => {
            for (const [first, caller] of firsts)
              judge(await (ask?.(first, caller, run) ?? repeat(first, caller)), first);
          },
          { isPart: true },
        );
      }
    },
  }),
];

function exactly(path: string): RegExp {
  return new RegExp(`^${path}$`);
}

/** Finds the first matching request for each action in a path, among the requests of agents whose tokens still work. */
function firstOf(
  run: Run,
  friends: AgentPair,
  callers: ReadonlyMap<string, Caller>,
  { method, path, statuses }: Pick<Memory, 'method' | 'path' | 'statuses'>,
): readonly (readonly [SentRequest, Caller])[] {
  const firsts = new Map<string, readonly [SentRequest, Caller]>();
  for (const entry of run.journal.entries) {
    if (entry.kind !== 'request' || entry.request.method !== method || !statuses.includes(entry.status)) continue;
    const place = entry.request.path.split('/')[5] ?? '';
    const caller = callers.get(run.tokens.agentIdOf(parseBearerToken(entry.request.headers['authorization'])));
    const isMeant = path.test(entry.request.path) && !firsts.has(place) && isBetween(entry, friends);
    if (isMeant && caller !== undefined) firsts.set(place, [entry, caller]);
  }
  return [...firsts.values()];
}

// Excludes messages between other agents, which may be refused because those agents have blocked each other.
function isBetween({ request }: SentRequest, friends: AgentPair): boolean {
  const { recipient_id: recipient } = Object(parseJson(request.body)) as { readonly recipient_id?: string };
  const { alice, bob } = friends;
  // Comparing the keys suffices, because an envelope contains the public keys of both agents.
  const keys = [alice, bob].map((agent) => agent.encryption_public_key);
  return recipient === undefined || keys.every((key) => request.body.includes(key));
}

async function repeat({ request }: SentRequest, caller: Caller, change: object = {}): Promise<Exchange> {
  const { path, body, form } = request;
  if (form !== undefined) return await caller.send({ method: 'POST', path, form });
  const json = parseJson(body);
  return await caller.send({ method: 'POST', path, json: isObject(json) ? { ...json, ...change } : {} });
}

function expectStored(answer: Exchange, { text }: SentRequest): void {
  expect.status(answer, 200);
  const idOf = (json: unknown) => /"id":"([^"]+)"/.exec(JSON.stringify(json))?.[1];
  expect(idOf(answer.json) === idOf(parseJson(text)), 'the repeat is answered with a different record', answer);
}
