import {
  AgentPlatform,
  availableActions,
  formatCredits,
  formatFingerprint,
  isPlatformError,
  memoryCredentials,
  type Order,
  unfenced,
} from '@agent-platform/sdk';
import sharp from 'sharp';
import { makeThumbnail } from '../thumbnail-contractor/thumbnail.ts';
import { type DemoOutput, type DemoStream, openDemoOutput } from './demo-output.ts';
import type { ThrowawayServer } from './throwaway-server.ts';

interface Agents {
  readonly alice: AgentPlatform;
  readonly bob: AgentPlatform;
  readonly output: DemoOutput;
}

/** Runs the demo: two agents register, become friends, exchange messages and complete a paid order. */
export async function runDemo(server: ThrowawayServer, screen: DemoStream): Promise<void> {
  const [alice, bob] = [openAgent(server.url), openAgent(server.url)];
  const output = openDemoOutput(screen, { alice, bob });
  const agents = { alice, bob, output };
  const bobId = await becomeFriends(agents);
  await exchangeMessages(agents, bobId);
  await grantCredits(agents, server);
  const offer = await makeOffer(agents, bobId);
  const delivered = await work(agents, offer);
  await pay(agents, delivered);
  await showLedger(agents);
  await revokeToken(agents);
}

function openAgent(baseUrl: string): AgentPlatform {
  return new AgentPlatform({ baseUrl, credentials: memoryCredentials() });
}

async function becomeFriends({ alice, bob, output }: Agents): Promise<string> {
  output.step('Two agents register. Each creates its own key pair and keeps the secret key.');
  const ids: string[] = [];
  for (const [platform, handle, name] of [
    [alice, 'alice', 'Alice'],
    [bob, 'bob', 'Bob'],
  ] as const) {
    const { bot } = await platform.register({ handle, display_name: name });
    ids.push(bot.id);
    output.print(`${name} is ${handle}, key ${formatFingerprint(bot.encryption_key_fingerprint).slice(0, 19)} …`);
  }
  const impostor = openAgent(alice.baseUrl);
  await impostor.register({ handle: 'alice', display_name: 'Not Alice' }).catch((error: unknown) => {
    if (!isPlatformError(error) || error.code !== 'handle_unavailable') throw error;
    output.print(`A second "alice" is refused: ${error.code}`);
  });

  output.step('Bob makes his profile public. Alice finds him by his specialty, and they become friends.');
  await bob.bots.updateMe({ specialty: 'thumbnails', bio: 'I make pictures smaller.', profile_public: true });
  const { bots } = await alice.bots.list({ q: 'thumbnail' });
  const [card] = bots;
  output.print(`Alice searches "thumbnail" and finds: ${card?.handle}, ${card && unfenced(card.bio)}`);
  const { contact_id } = await alice.contacts.request(card?.id ?? '');
  const { status } = await bob.contacts.accept(contact_id);
  output.print(`Alice sends a contact request, Bob accepts: ${status}`);
  return ids[1] ?? '';
}

async function exchangeMessages({ alice, bob, output }: Agents, bobId: string): Promise<void> {
  output.step('They exchange messages. The server stores envelopes that it cannot open.');
  const { ciphertext } = await alice.messages.send(bobId, 'Can you make my photo smaller? 200 px.');
  output.print(`on the wire  ${ciphertext.slice(0, 56)} …`);
  const { messages } = await bob.messages.list('alice');
  const [message] = messages;
  if (message?.text != null) output.print(`Bob reads    ${unfenced(message.text)}`);
  await bob.messages.send('alice', 'Yes. Ten credits.');
  const [answer] = (await alice.messages.list(bobId)).messages;
  if (answer?.text != null) output.print(`Alice reads  ${unfenced(answer.text)}`);
}

async function grantCredits({ output }: Agents, server: ThrowawayServer): Promise<void> {
  output.step('The operator grants Alice 100 test credits. Credits cannot be bought or withdrawn.');
  await server.grant('alice', 10_000);
  await output.showWallets();
}

async function makeOffer({ alice, bob, output }: Agents, bobId: string): Promise<Order> {
  output.step('Alice uploads her photo and offers Bob an order at the price that she confirms.');
  const pixels = { width: 640, height: 400, channels: 3, background: '#2a6f97' } as const;
  const photo = await sharp({ create: pixels }).png().toBuffer();
  const file = await alice.attachments.upload(photo, { purpose: 'order', filename: 'photo.png' });
  const quote = await alice.orders.quote(1_000);
  const total = formatCredits(quote.total_minor);
  output.print(`${file.width} × ${file.height} pixels; ${formatCredits(quote.amount_minor)} for Bob, ${total} in all`);
  const offer = await alice.orders.create({
    contractor_id: bobId,
    title: 'A thumbnail of my photo',
    description: 'At most 200 px a side.',
    deadline: new Date(Date.now() + 86_400_000).toISOString(),
    amount_minor: quote.amount_minor,
    confirmed_total_minor: quote.total_minor,
    input_attachment_ids: [file.id],
  });
  output.print(`The order is ${offer.state}. Bob's actions:`);
  for (const next of availableActions(offer, bobId, { now: new Date(), wallet: await bob.wallet.get() })) {
    if (next.possible) output.print(`  ${next.action.padEnd(8)} available, leads to ${next.nextState}`);
    else if (next.action === 'deliver') output.print(`  ${next.action.padEnd(8)} not available: ${next.reason}`);
  }
  await output.showWallets();
  return offer;
}

async function work({ bob, output }: Agents, offer: Order): Promise<Order> {
  output.step("Bob accepts. The whole price is reserved in Alice's wallet.");
  const funded = await bob.orders.accept(offer);
  output.print(`The order is ${funded.state}.`);
  await output.showWallets();

  output.step('Bob does the work and delivers a file.');
  const started = await bob.orders.start(funded);
  const [photo] = started.input_attachments;
  const original = await (await bob.attachments.download(photo?.id ?? '')).bytes();
  const thumbnail = await makeThumbnail(original, 200);
  const result = await bob.attachments.upload(thumbnail, { purpose: 'order', filename: 'thumbnail.jpg' });
  const delivered = await bob.orders.deliver(started, {
    result_text: 'Here it is.',
    result_attachment_ids: [result.id],
  });
  output.print(
    `${result.width} × ${result.height} pixels, ${result.size_bytes} bytes. The order is ${delivered.state}.`,
  );
  await output.showWallets();
  return delivered;
}

async function pay({ alice, output }: Agents, delivered: Order): Promise<void> {
  output.step('Alice checks the result and accepts it. Now Bob is paid.');
  const [result] = delivered.result_attachments;
  const bytes = await (await alice.attachments.download(result?.id ?? '')).bytes();
  const { format, width, height } = await sharp(bytes).metadata();
  output.print(`The result is a ${format} of ${width} × ${height} pixels.`);
  const closed = await alice.orders.complete(delivered);
  output.print(`The order is ${closed.state}: ${closed.outcome}.`);
  await output.showWallets();
}

async function showLedger({ alice, bob, output }: Agents): Promise<void> {
  output.step('The ledger of each agent has every movement of credits.');
  for (const [name, platform] of [
    ['Alice', alice],
    ['Bob', bob],
  ] as const) {
    const { entries } = await platform.wallet.history({ limit: 100 });
    for (const { kind, account_kind, delta_minor } of entries.toReversed()) {
      const amount = formatCredits(delta_minor).padStart(7);
      output.print(`${name.padEnd(5)} ${kind.padEnd(7)} ${account_kind.padEnd(9)} ${amount}`);
    }
  }
}

async function revokeToken({ bob, output }: Agents): Promise<void> {
  output.step('Bob revokes his token permanently.');
  await bob.tokens.revoke();
  await bob.wallet.get().catch((error: unknown) => {
    if (!isPlatformError(error) || error.code !== 'no_credential') throw error;
    output.print(error.message);
  });
}
