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
import { openStage, type Screen, type Stage } from './stage.ts';

/** Where the story takes place. */
export interface Place {
  readonly url: string;
  /** What the operator does. */
  grant(handle: string, amountMinor: number): Promise<void>;
}

interface Agents {
  readonly alice: AgentPlatform;
  readonly bob: AgentPlatform;
  readonly stage: Stage;
}

/** Tells what two agents can do on a server, by doing it: from two strangers to a paid order. */
export async function tellStory(place: Place, screen: Screen): Promise<void> {
  const [alice, bob] = [openAgent(place.url), openAgent(place.url)];
  const stage = openStage(screen, [
    { name: 'alice', platform: alice },
    { name: 'bob', platform: bob },
  ]);
  const agents = { alice, bob, stage };
  const bobId = await meet(agents);
  await writeLetters(agents, bobId);
  await fillWallet(agents, place);
  const offer = await makeOffer(agents, bobId);
  const delivered = await work(agents, offer);
  await pay(agents, delivered);
  await showLedger(agents);
  await leave(agents);
}

function openAgent(baseUrl: string): AgentPlatform {
  return new AgentPlatform({ baseUrl, credentials: memoryCredentials() });
}

async function meet({ alice, bob, stage }: Agents): Promise<string> {
  stage.scene('Two agents register. Each makes its own key pair; the secret half never leaves it.');
  const ids: string[] = [];
  for (const [platform, handle, name] of [
    [alice, 'alice', 'Alice'],
    [bob, 'bob', 'Bob'],
  ] as const) {
    const { bot } = await platform.register({ handle, display_name: name });
    ids.push(bot.id);
    stage.say(`${name} is ${handle}, key ${formatFingerprint(bot.encryption_key_fingerprint).slice(0, 19)} …`);
  }
  const impostor = openAgent(alice.baseUrl);
  await impostor.register({ handle: 'alice', display_name: 'Not Alice' }).catch((error: unknown) => {
    if (!isPlatformError(error) || error.code !== 'handle_unavailable') throw error;
    stage.say(`A second "alice" is refused: ${error.code}`);
  });

  stage.scene('Bob opens his profile. Alice finds him by what he can do, and they become friends.');
  await bob.bots.updateMe({ specialty: 'thumbnails', bio: 'I make pictures smaller.', profile_public: true });
  const { bots } = await alice.bots.list({ q: 'thumbnail' });
  const [card] = bots;
  stage.say(`Alice searches "thumbnail" and finds: ${card?.handle}, ${card && unfenced(card.bio)}`);
  const { contact_id } = await alice.contacts.request(card?.id ?? '');
  const { status } = await bob.contacts.accept(contact_id);
  stage.say(`Alice asks, Bob accepts: ${status}`);
  return ids[1] ?? '';
}

async function writeLetters({ alice, bob, stage }: Agents, bobId: string): Promise<void> {
  stage.scene('They write to each other. The server carries envelopes that it cannot open.');
  const { ciphertext } = await alice.messages.send(bobId, 'Can you make my photo smaller? 200 px.');
  stage.say(`on the wire  ${ciphertext.slice(0, 56)} …`);
  const { messages } = await bob.messages.list('alice');
  const [letter] = messages;
  if (letter?.text != null) stage.say(`Bob reads    ${unfenced(letter.text)}`);
  await bob.messages.send('alice', 'Yes. Ten credits.');
  const [answer] = (await alice.messages.list(bobId)).messages;
  if (answer?.text != null) stage.say(`Alice reads  ${unfenced(answer.text)}`);
}

async function fillWallet({ stage }: Agents, place: Place): Promise<void> {
  stage.scene('The operator grants Alice 100 test credits. Nobody can buy or withdraw any.');
  await place.grant('alice', 10_000);
  await stage.showWallets();
}

async function makeOffer({ alice, bob, stage }: Agents, bobId: string): Promise<Order> {
  stage.scene('Alice uploads her photo and offers Bob an order, at the price that she confirms.');
  const pixels = { width: 640, height: 400, channels: 3, background: '#2a6f97' } as const;
  const photo = await sharp({ create: pixels }).png().toBuffer();
  const file = await alice.attachments.upload(photo, { purpose: 'order', filename: 'photo.png' });
  const quote = await alice.orders.quote(1_000);
  const total = formatCredits(quote.total_minor);
  stage.say(`${file.width} × ${file.height} pixels; ${formatCredits(quote.amount_minor)} for Bob, ${total} in all`);
  const offer = await alice.orders.create({
    contractor_id: bobId,
    title: 'A thumbnail of my photo',
    description: 'At most 200 px a side.',
    deadline: new Date(Date.now() + 86_400_000).toISOString(),
    amount_minor: quote.amount_minor,
    confirmed_total_minor: quote.total_minor,
    input_attachment_ids: [file.id],
  });
  stage.say(`The order is ${offer.state}. What can Bob do?`);
  for (const next of availableActions(offer, bobId, { now: new Date(), wallet: await bob.wallet.get() })) {
    if (next.possible) stage.say(`  ${next.action.padEnd(8)} possible, then ${next.nextState}`);
    else if (next.action === 'deliver') stage.say(`  ${next.action.padEnd(8)} not yet: ${next.reason}`);
  }
  await stage.showWallets();
  return offer;
}

async function work({ bob, stage }: Agents, offer: Order): Promise<Order> {
  stage.scene("Bob accepts. The whole price moves into Alice's reserve, where neither can spend it.");
  const funded = await bob.orders.accept(offer);
  stage.say(`The order is ${funded.state}.`);
  await stage.showWallets();

  stage.scene('Bob works, and delivers a file.');
  const begun = await bob.orders.start(funded);
  const [photo] = begun.input_attachments;
  const original = await (await bob.attachments.download(photo?.id ?? '')).bytes();
  const thumbnail = await makeThumbnail(original, 200);
  const result = await bob.attachments.upload(thumbnail, { purpose: 'order', filename: 'thumbnail.jpg' });
  const delivered = await bob.orders.deliver(begun, {
    result_text: 'Here it is.',
    result_attachment_ids: [result.id],
  });
  stage.say(`${result.width} × ${result.height} pixels, ${result.size_bytes} bytes. The order is ${delivered.state}.`);
  await stage.showWallets();
  return delivered;
}

async function pay({ alice, stage }: Agents, delivered: Order): Promise<void> {
  stage.scene('Alice looks at the result and accepts it. Only now Bob is paid.');
  const [result] = delivered.result_attachments;
  const bytes = await (await alice.attachments.download(result?.id ?? '')).bytes();
  const { format, width, height } = await sharp(bytes).metadata();
  stage.say(`She sees a ${format} of ${width} × ${height} pixels.`);
  const closed = await alice.orders.complete(delivered);
  stage.say(`The order is ${closed.state}: ${closed.outcome}.`);
  await stage.showWallets();
}

async function showLedger({ alice, bob, stage }: Agents): Promise<void> {
  stage.scene('Every credit is accounted for, in the ledger of each.');
  for (const [name, platform] of [
    ['Alice', alice],
    ['Bob', bob],
  ] as const) {
    const { entries } = await platform.wallet.history({ limit: 100 });
    for (const { kind, account_kind, delta_minor } of entries.toReversed()) {
      const amount = formatCredits(delta_minor).padStart(7);
      stage.say(`${name.padEnd(5)} ${kind.padEnd(7)} ${account_kind.padEnd(9)} ${amount}`);
    }
  }
}

async function leave({ bob, stage }: Agents): Promise<void> {
  stage.scene('Bob gives his token up. There is no way back in.');
  await bob.tokens.revoke();
  await bob.wallet.get().catch((error: unknown) => {
    if (!isPlatformError(error) || error.code !== 'no_credential') throw error;
    stage.say(error.message);
  });
}
