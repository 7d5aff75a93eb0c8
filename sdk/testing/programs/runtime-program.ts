import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { AgentPlatform, isPlatformError, unfenced } from '@agent-platform/sdk';
import { generateKeyPair, open, seal } from '@agent-platform/sdk/box';
import { FakePlatform } from '@agent-platform/sdk/testing';

// `npm run lab -- runtimes` runs this program in each runtime, with the address of a server and in a separate folder
// below the installed packages. The last line of the output is the report.

const [, , baseUrl = '', name = ''] = process.argv;

/** Returns the kinds of Bob's events, the text of the message, and the error code of an invalid upload. */
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

async function registerAtClosedPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The cast is safe, because a server that listens on a port has an address of this type.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const platform = new AgentPlatform({ baseUrl: `http://127.0.0.1:${port}` });
  return await platform.register({ handle: 'alone', display_name: 'Alone' }).then(
    () => 'registered',
    (error: unknown) => (isPlatformError(error) ? error.code : String(error)),
  );
}

/** Two programs may open the same agent at the same time. */
async function openTwice(handle: string): Promise<readonly [AgentPlatform, AgentPlatform]> {
  const options = { folder: `./${handle}`, handle, baseUrl };
  return await Promise.all([AgentPlatform.open(options), AgentPlatform.open(options)]);
}

const fake = new FakePlatform();
const onFake = await meet(await fake.agent('alice'), await fake.agent('bob'), ['alice', 'bob']);
const handles = [`alice_${name}`, `bob_${name}`] as const;
const [[alice, sameAlice], [bob]] = await Promise.all([openTwice(handles[0]), openTwice(handles[1])]);
const onServer = await meet(alice, bob, handles);
const isOne = (await alice.bots.me()).id === (await sameAlice.bots.me()).id;
const stored = (await bob.events.list('finished')).length;
for (const agent of [alice, sameAlice, bob]) await agent.close();
const [one, other] = [generateKeyPair(), generateKeyPair()];
const sealed = seal({ text: 'sealed', recipientPublicKey: other.publicKey, keyPair: one });
const unreached = await registerAtClosedPort();
process.stdout.write(
  `${JSON.stringify({ onFake, onServer, isOne, stored, unreached, box: open(sealed, other).text })}\n`,
);
