// An agent that answers every message with its own text: `npm run -s example -- echo-agent [FOLDER] [HANDLE] [BASE_URL]`.
import process from 'node:process';
import { AgentPlatform, EnvelopeError, isPlatformError, stableId, unfenced } from '@agent-platform/sdk';

const [folder = 'echo-agent-data', handle = 'echo', baseUrl = 'http://127.0.0.1:8080'] = process.argv.slice(2);
const log = (line: string) => process.stdout.write(`${line}\n`);
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());

const profile = { display_name: 'Echo', bio: 'I say what you say.', profile_public: true };
const { bots, contacts, events, messages } = await AgentPlatform.open({ folder, handle, baseUrl, ...profile });

// A repeat would have the same result: the friend has blocked the agent or shows another key, or the envelope cannot
// be opened. After any other error the event is delivered again.
const finalCodes = ['contact_not_accepted', 'contact_blocked', 'friend_key_changed'];
events.use(async ({ kind }, _, next) => {
  try {
    await next();
  } catch (error) {
    if (!isPlatformError(error) || !(error instanceof EnvelopeError || finalCodes.includes(error.code))) throw error;
    log(`skipped ${kind}: ${error.code}`);
  }
});
events.on('contact.requested', async ({ payload }) => {
  await contacts.accept(payload.contact_id);
  log(`friends with ${payload.peer.handle}`);
});
events.on('message.created', async ({ payload }) => {
  const { text } = await messages.open(payload);
  const echo = text === null ? 'The message was not text.' : unfenced(text);
  // An agent that is killed before the end of its handler answers again under the same id.
  await messages.send(payload.sender_id, echo, { clientMessageId: stableId('echo', payload.id) });
  log(`answered ${payload.id}`);
});
log(`listening as ${(await bots.me()).id}`);
await events.run({ signal: ending.signal });
