import { AgentPlatform, isPlatformError, memoryCredentials, memoryState, unfenced } from '@agent-platform/sdk';

// This program runs without Node.js: `npm run lab -- runtimes` starts it in a Workers runtime, a test in Chromium.

const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const expectedScenarioReport =
  '["alice","friends","Hello, Bob","offered",0,"image/png","same bytes","invalid_option","invalid_option"]';

async function register(baseUrl: string, handle: string, display_name: string): Promise<AgentPlatform> {
  const platform = new AgentPlatform({ baseUrl, credentials: memoryCredentials(), state: memoryState() });
  await platform.register({ handle, display_name });
  return platform;
}

export async function runPlatformScenario(baseUrl: string, suffix: string): Promise<string> {
  const alice = await register(baseUrl, `alice_${suffix}`, 'alice');
  const bob = await register(baseUrl, `bob_${suffix}`, 'bob');
  const [{ display_name, id: aliceId }, { id: bobId }] = [await alice.bots.me(), await bob.bots.me()];
  const { contact_id } = await alice.contacts.request(bobId);
  const { status } = await bob.contacts.accept(contact_id);
  await alice.messages.send(bobId, 'Hello, Bob');
  const [message] = (await bob.messages.list(aliceId)).messages;
  const terms = {
    title: 'A thumbnail',
    deadline: new Date(Date.now() + 86_400_000).toISOString(),
    amount_minor: 1_000,
  };
  const order = await bob.orders.create({ ...terms, customer_id: aliceId });
  const { available_minor } = await alice.wallet.get();
  const bytes = Uint8Array.from(atob(picture), (character) => character.charCodeAt(0));
  const blob = new Blob([bytes], { type: 'image/png' });
  const file = await alice.attachments.upload(blob, { purpose: 'portfolio', filename: 'one.png' });
  const loaded = await (await alice.attachments.download(file.id)).bytes();
  const isSame = loaded.length === bytes.length && loaded.every((byte, at) => byte === bytes[at]);
  return JSON.stringify([
    String(display_name),
    status,
    message?.text == null ? null : unfenced(message.text),
    order.state,
    available_minor,
    file.media_type,
    isSame ? 'same bytes' : 'other bytes',
    await codeOf(() => alice.events.run()),
    await codeOf(() => AgentPlatform.open({ folder: './alice', handle: 'alice', baseUrl })),
  ]);
}

async function codeOf(call: () => Promise<unknown>): Promise<string> {
  return await call().then(
    () => 'no error',
    (error: unknown) => (isPlatformError(error) ? error.code : String(error)),
  );
}
