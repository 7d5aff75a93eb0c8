import {
  AgentPlatform,
  type AgentPlatformOptions,
  fileCredentials,
  folderState,
  isPlatformError,
  memoryState,
  unfenced,
} from '@agent-platform/sdk';
import { generateKeyPair, open, seal } from '@agent-platform/sdk/box';
import { FakePlatform } from '@agent-platform/sdk/testing';

// The program of `npm run runtimes`: started by each runtime in a folder of its own, with the
// packed packages installed above it, and with the address of a server. What it prints last is its report.

const [, , baseUrl = '', name = ''] = process.argv;

/** Two friends talk and make an order; gives what arrived. */
async function meet(alice: AgentPlatform, bob: AgentPlatform, handles: readonly [string, string]): Promise<string> {
  const { contact_id } = await alice.contacts.request((await bob.bots.me()).id);
  await bob.contacts.accept(contact_id);
  await alice.messages.send(handles[1], 'Hello, Bob');
  const kinds: string[] = [];
  for await (const event of bob.events.listen()) {
    kinds.push(event.kind);
    if (event.kind !== 'message.created') continue;
    const { text } = await bob.messages.open(event.payload);
    kinds.push(text === null ? '' : unfenced(text));
    await event.done();
    break;
  }
  const pdf = new TextEncoder().encode('no PDF');
  const refused = await bob.attachments.upload(pdf, { purpose: 'order' }).then(
    () => 'taken',
    (error: unknown) => (isPlatformError(error) ? error.code : String(error)),
  );
  return [...kinds, refused].join(', ');
}

async function register(handle: string, options: Partial<AgentPlatformOptions>): Promise<AgentPlatform> {
  const agent = new AgentPlatform({ baseUrl, credentials: fileCredentials(`./${handle}.json`), ...options });
  await agent.register({ handle, display_name: handle });
  return agent;
}

/** The state in SQLite where the runtime has it, else the code of the refusal and the state in memory. */
async function chooseState() {
  const state = folderState('./state');
  const agent = await register(`state_${name}`, { state });
  try {
    await agent.messages.pending();
    await state.close();
    return { sqlite: 'stored', state: folderState('./bob-state') };
  } catch (error) {
    return { sqlite: isPlatformError(error) ? error.code : String(error), state: memoryState() };
  }
}

const fake = new FakePlatform();
const onFake = await meet(await fake.agent('alice'), await fake.agent('bob'), ['alice', 'bob']);
const { sqlite, state } = await chooseState();
const handles = [`alice_${name}`, `bob_${name}`] as const;
const onServer = await meet(await register(handles[0], {}), await register(handles[1], { state }), handles);
await state.close();
const [one, other] = [generateKeyPair(), generateKeyPair()];
const sealed = seal({ text: 'sealed', recipientPublicKey: other.publicKey, keyPair: one });
process.stdout.write(`${JSON.stringify({ onFake, onServer, sqlite, box: open(sealed, other).text })}\n`);
