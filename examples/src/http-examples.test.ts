import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  AgentPlatform,
  type AttachmentPurpose,
  fileCredentials,
  generateKeyPair,
  type Order,
} from '@agent-platform/sdk';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExamplePrecondition, ExampleSender } from '../../contract/scripts/reference/example.ts';
import { examples } from '../../contract/scripts/reference/examples.ts';
import { renderReference } from '../../contract/scripts/reference/print-reference.ts';
import { type DocumentReader, openDocumentReader } from '../testing/run-document.ts';

let reader: DocumentReader;
const agents = new Map<string, AgentPlatform>();
beforeAll(async () => {
  const unlimited = ['REGISTRATIONS_PER_ADDRESS_PER_HOUR', 'WRITES_PER_MINUTE', 'CONTACT_REQUESTS_PER_MINUTE'];
  reader = await openDocumentReader(Object.fromEntries(unlimited.map((name) => [`PLATFORM_${name}`, '0'])));
  const pixels = { width: 32, height: 20, channels: 3, background: '#2a6f97' } as const;
  await sharp({ create: pixels }).png().toFile(join(reader.folder, 'photo.png'));
  const [alice, bob] = [await register('alice'), await register('bob')];
  await reader.runShell('npm run -s operator -- credits grant alice 1000000');
  const { contact_id } = await alice.contacts.request('bob');
  await bob.contacts.accept(contact_id);
});
afterAll(() => reader.close());

async function register(handle: string): Promise<AgentPlatform> {
  const credentials = fileCredentials(join(reader.home, 'profiles', `${handle}.json`));
  const platform = new AgentPlatform({ baseUrl: reader.url, credentials });
  await platform.register({ handle, display_name: handle, profile_public: true });
  agents.set(handle, platform);
  return platform;
}

function agent(handle: string): AgentPlatform {
  const platform = agents.get(handle);
  if (platform === undefined) throw new Error(`There is no agent ${handle}.`);
  return platform;
}

let count = 0;
const nextHandle = () => {
  count += 1;
  return `spare_${count}`;
};

/** Creates the records that an example needs, and returns the values of its variables. */
async function arrange(
  sender: ExampleSender,
  situation: ExamplePrecondition,
): Promise<Readonly<Record<string, string>>> {
  const handle = sender === 'spare' ? nextHandle() : sender;
  const platform = sender === 'spare' ? await register(handle) : agent(handle);
  const credential = await fileCredentials(join(reader.home, 'profiles', `${handle}.json`)).load();
  const other = await agent(sender === 'bob' ? 'alice' : 'bob').bots.me();
  return {
    ...{
      PROFILE: handle,
      TOKEN: credential?.token ?? '',
      PUBLIC_KEY: credential?.encryption_public_key ?? '',
      BASE: reader.url,
    },
    ...{ BOT_ID: other.id, FRIEND_KEY: other.encryption_public_key, NEW_ID: randomUUID() },
    ...{ NONCE: randomBytes(24).toString('base64'), DEADLINE: new Date(Date.now() + 86_400_000).toISOString() },
    ...(await arrangeRecord(platform, situation)),
  };
}

async function arrangeRecord(
  platform: AgentPlatform,
  situation: ExamplePrecondition,
): Promise<Readonly<Record<string, string>>> {
  if (situation === 'friends') return {};
  if (situation === 'post')
    return { POST_ID: (await platform.posts.create({ text: 'A reef.', visibility: 'public' })).id };
  if (situation === 'file') {
    const purpose: AttachmentPurpose = 'avatar';
    return { ATTACHMENT_ID: (await platform.attachments.upload(join(reader.folder, 'photo.png'), { purpose })).id };
  }
  if (situation === 'request') {
    const spare = await register(nextHandle());
    const { contact_id } = await spare.contacts.request((await platform.bots.me()).id);
    return { CONTACT_ID: contact_id, BOT_ID: (await spare.bots.me()).id };
  }
  const { id, version } = await arrangeOrder(situation);
  return { ORDER_ID: id, VERSION: String(version) };
}

async function arrangeOrder(situation: ExamplePrecondition): Promise<Order> {
  const [alice, bob] = [agent('alice'), agent('bob')];
  const terms = { title: 'A map', deadline: new Date(Date.now() + 86_400_000).toISOString(), amount_minor: 1_000 };
  let order = await alice.orders.create({ ...terms, contractor_id: 'bob', confirmed_total_minor: 1_100 });
  if (situation === 'offered') return order;
  order = await bob.orders.accept(order);
  if (situation === 'funded') return order;
  if (situation === 'refund_proposed') return await bob.orders.proposeRefund(order, 'I cannot finish it.');
  order = await bob.orders.start(order);
  return situation === 'in_progress' ? order : await bob.orders.deliver(order, { result_text: 'North is up.' });
}

/** Sends an example in one of its forms; an example that registers an agent gets a new handle. */
async function send(label: string, code: string, values: Readonly<Record<string, string>>): Promise<void> {
  for (const name of ['preview.jpg', 'original.png']) await rm(join(reader.folder, name), { force: true });
  const own = code.replaceAll('iris', nextHandle());
  if (label === 'SDK') return await runWithSdk(own, values);
  const set = Object.entries(values).map(([name, value]) => `${name}='${value}'`);
  const command = label === 'curl' ? own : own.replace(/^agentp /, 'npm run -s agentp -- ');
  const profile = label === 'curl' || own.includes(' register ') ? '' : ` --profile ${values['PROFILE']}`;
  await reader.runShell(`${set.join('\n')}\n${command}${profile}`);
}

async function runWithSdk(code: string, values: Readonly<Record<string, string>>): Promise<void> {
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
  const shown = {
    POST_ID: 'postId',
    ATTACHMENT_ID: 'fileId',
    CONTACT_ID: 'contactId',
    ORDER_ID: 'orderId',
    BOT_ID: 'botId',
  };
  const ids = Object.entries(shown).map(([name, variable]) => [variable, values[name]] as const);
  const given = {
    AgentPlatform,
    baseUrl: reader.url,
    platform: agent(values['PROFILE'] ?? ''),
    ...Object.fromEntries(ids),
  };
  await new AsyncFunction(...Object.keys(given), code)(...Object.values(given));
}

const all = renderReference().flatMap(({ id, tabs }) => tabs.map((tab) => ({ id, ...tab })));

describe('the examples of the API reference', () => {
  it.each(all)('$id with $label is accepted by a server', async ({ id, label, code }) => {
    const example = Object.entries(examples).find(([name]) => name === id)?.[1];
    const ownKey = id === 'registerBot' ? { PUBLIC_KEY: generateKeyPair().publicKey } : {};
    const values = { ...(await arrange(example?.sender ?? 'alice', example?.situation ?? 'friends')), ...ownKey };

    await expect(send(label, code, values)).resolves.toBeUndefined();
  });
});
