import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetch as undiciFetch } from 'undici';
import {
  AgentPlatform,
  type ClientState,
  type Fetch,
  fileCredentials,
  type OrderFile,
  sqliteState,
} from '../../src/index.ts';

/** The argument of this program, as JSON. */
export interface CrashPlan {
  readonly baseUrl: string;
  readonly credentials: string;
  /** The folder that contains the state and `log.txt`. */
  readonly place: string;
  /** The process kills itself before this occurrence of this step. */
  readonly kill: { readonly step: string; readonly occurrence: number } | null;
  /**
   * Receives and finishes the messages with these ids, answers one message, replies to one several times, delivers an
   * order, offers an order, or sends a message.
   */
  readonly work:
    | { readonly receive: readonly string[] }
    | { readonly answer: string }
    | { readonly replies: readonly string[] }
    | { readonly deliver: string; readonly fileNames: readonly string[] }
    | {
        readonly offer: string;
        readonly customer: string;
        readonly operationId: string;
        readonly fileNames: readonly string[];
      }
    | { readonly send: string; readonly to: string; readonly clientMessageId: string };
}

// crash.test.ts runs this program: an agent that is killed at an exact step, without a chance to clean up.
const plan: CrashPlan = JSON.parse(process.argv[2] ?? '');
let occurrences = 0;

function countStep(name: string): void {
  if (name !== plan.kill?.step) return;
  occurrences += 1;
  if (occurrences === plan.kill.occurrence) process.kill(process.pid, 'SIGKILL');
}

function log(line: string): void {
  appendFileSync(join(plan.place, 'log.txt'), `${line}\n`);
}

/** Counts each call of these methods as a step, because they change what a later process reads from disk. */
function counting<T extends object>(inner: T, names: readonly (keyof T & string)[]): T {
  return new Proxy(inner, {
    get: (_, name) => {
      const method: unknown = Reflect.get(inner, name);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        if (names.some((counted) => counted === name)) countStep(String(name));
        return await Reflect.apply(method, inner, args);
      };
    },
  });
}

// Each transaction counts as one step, because SQLite guarantees that it is atomic.
const inner = sqliteState(join(plan.place, 'state.sqlite'));
const state: ClientState = {
  open: async (owner) => {
    countStep('open');
    const { outbox, operations, inbox, pins, ...rest } = await inner.open(owner);
    return {
      ...rest,
      outbox: counting(outbox, ['keep', 'remove']),
      operations: counting(operations, ['keep', 'remove']),
      inbox: counting(inbox, ['keepAll', 'lease', 'finish', 'renew', 'postpone', 'park']),
      pins: counting(pins, ['keep', 'replace']),
    };
  },
  close: () => inner.close(),
};

const fetch: Fetch = async (url, init) => {
  if (init.method !== 'POST') return await undiciFetch(url, init);
  countStep('the request');
  const answer = await undiciFetch(url, init);
  countStep('the answer');
  return answer;
};

const platform = new AgentPlatform({
  baseUrl: plan.baseUrl,
  credentials: fileCredentials(plan.credentials),
  state,
  fetch,
});

if ('receive' in plan.work) await receive(plan.work.receive);
else if ('answer' in plan.work) await answer(plan.work);
else if ('replies' in plan.work) await reply(plan.work.replies);
else if ('deliver' in plan.work) await deliver(plan.work);
else if ('offer' in plan.work) await offer(plan.work);
else await send(plan.work);
await state.close();

async function receive(wanted: readonly string[]): Promise<void> {
  if (await haveFinished(wanted)) return;
  for await (const event of platform.events.listen({ leaseMs: 1_000 })) {
    if (event.kind !== 'message.created') continue;
    log(`shown ${event.payload.id}`);
    await event.done();
    log(`finished ${event.payload.id}`);
    if (await haveFinished(wanted)) break;
  }
}

async function haveFinished(wanted: readonly string[]): Promise<boolean> {
  const finished = (await platform.events.list('finished')).map((item) => JSON.stringify(item.event.payload));
  return wanted.every((id) => finished.some((text) => text.includes(id)));
}

async function send(message: { send: string; to: string; clientMessageId: string }): Promise<void> {
  await platform.messages.resume();
  await platform.messages.send(message.to, message.send, { clientMessageId: message.clientMessageId });
}

async function answer({ answer }: { answer: string }): Promise<void> {
  const ending = new AbortController();
  platform.events.on('message.created', async ({ event_id, payload }) => {
    await platform.messages.send(payload.sender_id, answer, { clientMessageId: event_id });
    ending.abort();
  });
  await platform.events.run({ leaseMs: 1_000, kinds: ['message.created'], signal: ending.signal });
}

async function reply(texts: readonly string[]): Promise<void> {
  const ending = new AbortController();
  platform.onMessage(async (message) => {
    for (const text of texts) await message.reply(text);
    ending.abort();
  });
  await platform.messages.resume();
  await platform.run({ leaseMs: 1_000, kinds: ['message.created'], signal: ending.signal });
}

function filesOf(names: readonly string[]): readonly OrderFile[] {
  const bytes = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  return names.map((filename) => ({ bytes, filename }));
}

async function deliver({
  deliver: orderId,
  fileNames,
}: {
  deliver: string;
  fileNames: readonly string[];
}): Promise<void> {
  await platform.orders.resume();
  const ending = new AbortController();
  const working = platform.orders.work(
    {
      offered: (_, { accept }) => accept?.(),
      funded: (_, { start }) => start(),
      in_progress: (_, { deliver }) => deliver({ text: 'Here they are.', files: filesOf(fileNames) }),
    },
    { role: 'contractor', pollEveryMs: 50, signal: ending.signal },
  );
  for await (const { state } of platform.orders.watch(orderId, { pollEveryMs: 50 })) if (state === 'delivered') break;
  ending.abort();
  await working;
}

async function offer(work: { offer: string; customer: string; operationId: string; fileNames: readonly string[] }) {
  const { offer: title, customer: customer_id, operationId, fileNames } = work;
  const terms = { title, deadline: '2126-11-21T12:00:00Z', amount_minor: 100, customer_id };
  await platform.orders.create({ ...terms, files: filesOf(fileNames) }, { operationId });
}
