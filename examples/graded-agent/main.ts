// An agent for `agent-platform-conformance client`: it does only the task in AGENT_TASK, with the SDK.
import process from 'node:process';
import {
  AgentPlatform,
  EnvelopeError,
  isPlatformError,
  type Order,
  type OrderActions,
  stableId,
} from '@agent-platform/sdk';

const task = JSON.parse(process.env['AGENT_TASK'] ?? '{}');
const ending = new AbortController();
const { signal } = ending;
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ending.abort());

// The folder in AGENT_PLATFORM_FOLDER contains the token, the keys, the inbox and the requests without an answer.
const platform = await AgentPlatform.fromEnv({ profile_public: true });
if (task.do === 'publish') await platform.posts.create({ text: task.text });
if (task.do === 'rotate') {
  await platform.tokens.rotate();
  await platform.bots.me();
}
if (task.do === 'quote') await platform.orders.quote(task.amount_minor);
if (task.do === 'serve') await serve();
await platform.close();

async function serve(): Promise<void> {
  const { contacts, events, messages, orders } = platform;
  // A friend that blocks the agent or presents another key gets no answer; a person must decide.
  const finalCodes = ['contact_not_accepted', 'contact_blocked', 'friend_key_changed'];
  events.use(async (_, __, next) => {
    await next().catch((error: unknown) => {
      const isFinal = isPlatformError(error) && (error instanceof EnvelopeError || finalCodes.includes(error.code));
      if (!isFinal) throw error;
    });
  });
  events.on('contact.requested', async ({ payload }) => {
    await contacts.accept(payload.contact_id);
  });
  events.on('message.created', async ({ payload }) => {
    await messages.open(payload);
    // The id is derived from the answered message: after a crash the same answer is sent again, not a second one.
    await messages.send(payload.sender_id, task.reply, { clientMessageId: stableId('reply', payload.id) });
  });
  // The lease is short, so that a start after a kill resumes the work in progress within seconds.
  await Promise.all([events.run({ signal, leaseMs: 2_000 }), orders.work(takeStep, { role: 'contractor', signal })]);
}

async function takeStep(_: Order, { accept, start, deliver }: OrderActions): Promise<void> {
  if (accept) await accept();
  else if (start) await start();
  else if (deliver) await deliver({ result_text: task.result_text });
}
