import { randomUUID } from 'node:crypto';
import type { FaultPlatform } from './fault-platform.ts';
import { type Character, viewBot, viewMessage, viewPost } from './records.ts';
import type { TracedRequest } from './trace.ts';

export type Reply = readonly [status: number, body: object];

/** A refusal in the form of the specification. */
export const refusal = (status: number, code: string): Reply => [
  status,
  { error: { code, message: `Refused: ${code}.` } },
];

const notFound = refusal(404, 'not_found');
const page = (name: string, items: readonly object[]) => ({ [name]: items, page: 1, page_size: 20, next_page: null });
const friendshipOf = (platform: FaultPlatform) => {
  const [contact] = platform.contacts;
  return contact === undefined
    ? { status: 'none', contact_id: null }
    : { status: platform.viewContact(contact).status, contact_id: contact.id };
};

/** Does what a right server does; the faults are around it. */
export function answer(platform: FaultPlatform, request: TracedRequest): Reply {
  const path = request.path.replace(/^\/api\/v1\//, '');
  if (path === 'bots/register' && request.method === 'POST') return register(platform, request);
  if (request.token === undefined || request.token !== platform.token || platform.agent === undefined)
    return refusal(401, 'unauthorized');
  const found = routes.find(([method, form]) => method === request.method && form.test(path));
  return found === undefined ? notFound : found[2](platform, request, form(path));
}

const form = (path: string) => path.split('/');

function register(platform: FaultPlatform, { json }: TracedRequest): Reply {
  if (platform.agent !== undefined) return refusal(409, 'handle_unavailable');
  const agent: Character = {
    id: randomUUID(),
    handle: String(json['handle']),
    displayName: String(json['display_name']),
    publicKey: String(json['encryption_public_key']),
  };
  platform.agent = agent;
  return [201, { bot: viewBot(agent), ...platform.issueToken() }];
}

type Work = (platform: FaultPlatform, request: TracedRequest, words: readonly string[]) => Reply;

const quote: Work = (_, { json }) => {
  const amount = Number(json['amount_minor']);
  const fee = Math.floor((amount * 1000 + 5000) / 10_000);
  const quoted = { amount_minor: amount, fee_minor: fee, total_minor: amount + fee, fee_bps: 1000 };
  return Number.isSafeInteger(amount) ? [200, { quote: quoted }] : refusal(400, 'invalid_input');
};

const addPost: Work = (platform, { json }) => {
  if (typeof json['text'] !== 'string') return refusal(400, 'invalid_text');
  const post = viewPost(platform.own, json);
  platform.posts.unshift(post);
  return [201, { post }];
};

const decideContact: Work = (platform, _, [, id, action]) => {
  const contact = platform.contacts.find((one) => one.id === id);
  if (contact === undefined) return notFound;
  contact.status = action === 'block' ? 'blocked' : 'friends';
  return [200, { contact: platform.viewContact(contact) }];
};

const sendMessage: Work = (platform, { json }) => {
  const before = platform.messages.find((one) => Reflect.get(one, 'client_message_id') === json['client_message_id']);
  if (before !== undefined) {
    const isSame = Object.entries(json).every(([name, value]) => Reflect.get(before, name) === value);
    return isSame ? [200, { message: before }] : refusal(409, 'idempotency_conflict');
  }
  if (typeof json['ciphertext'] !== 'string') return refusal(400, 'encrypted_envelope_required');
  if (json['recipient_id'] !== platform.peer.id) return refusal(403, 'contact_not_accepted');
  if (json['recipient_public_key'] !== platform.peer.publicKey) return refusal(409, 'key_changed');
  const message = viewMessage(platform.own, json as Readonly<Record<string, string>>);
  platform.messages.unshift(message);
  return [201, { message }];
};

const steps: Readonly<Record<string, readonly [from: string, to: string]>> = {
  accept: ['offered', 'funded'],
  reject: ['offered', 'rejected'],
  start: ['funded', 'in_progress'],
  deliver: ['in_progress', 'delivered'],
};

const command: Work = (platform, { json, path }, [, id, action = '']) => {
  const order = platform.orders.find((one) => one.id === id);
  if (order === undefined) return notFound;
  const operation = String(json['operation_id']);
  const request = `${path} ${JSON.stringify(json)}`;
  const before = platform.operations.get(operation);
  if (before !== undefined)
    return before.request === request ? [200, before.answer] : refusal(409, 'idempotency_conflict');
  if (json['expected_version'] !== order.version) return refusal(409, 'version_conflict');
  const step = steps[action];
  if (step?.[0] !== order.state && !(action === 'dispute' || action === 'propose-refund'))
    return refusal(409, 'state_conflict');
  if (action === 'deliver') order.resultText = String(json['result_text']);
  platform.move(order, action, step?.[1] ?? 'disputed', platform.own);
  const reply = { order: platform.viewOrder(order) };
  platform.operations.set(operation, { request, answer: reply });
  return [200, reply];
};

const wallet = {
  ...{ environment: 'test', unit: 'test_credit', minor_per_credit: 100, available_minor: 0, reserved_minor: 0 },
  ...{ total_minor: 0, can_purchase: false, can_withdraw: false },
};

const peerCard = (platform: FaultPlatform) => ({ ...viewBot(platform.peer), friendship: friendshipOf(platform) });

const routes: readonly (readonly [method: string, form: RegExp, work: Work])[] = [
  ['GET', /^bots\/me$/, (platform) => [200, { bot: viewBot(platform.own) }]],
  ['PATCH', /^bots\/me$/, (platform) => [200, { bot: viewBot(platform.own) }]],
  ['POST', /^tokens\/rotate$/, (platform) => [200, platform.issueToken()]],
  ['GET', /^bots$/, (platform) => [200, page('bots', [peerCard(platform)])]],
  [
    'GET',
    /^bots\/[^/]+$/,
    (platform, _, [, id]) =>
      id === platform.peer.id
        ? [200, { bot: { ...peerCard(platform), links: {}, works: page('posts', []) } }]
        : notFound,
  ],
  ['GET', /^posts$/, (platform) => [200, page('posts', platform.posts)]],
  ['POST', /^posts$/, addPost],
  ['POST', /^contacts\/requests$/, () => notFound],
  [
    'GET',
    /^contacts$/,
    (platform) => [
      200,
      { contacts: platform.contacts.map((contact) => platform.viewContact(contact)), next_before: null },
    ],
  ],
  ['POST', /^contacts\/[^/]+\/(accept|block)$/, decideContact],
  ['GET', /^messages$/, (platform) => [200, { messages: platform.messages, next_before: null }]],
  ['POST', /^messages$/, sendMessage],
  ['GET', /^wallet$/, () => [200, { wallet }]],
  ['GET', /^wallet\/history$/, () => [200, { entries: [], next_before: null }]],
  ['POST', /^orders\/quote$/, quote],
  [
    'GET',
    /^orders$/,
    (platform, { query }) => {
      const state = new URLSearchParams(query).get('state');
      const chosen = platform.orders.filter((order) => state === null || order.state === state);
      return [200, page('orders', chosen.map(platform.viewOrder))];
    },
  ],
  [
    'GET',
    /^orders\/[^/]+$/,
    (platform, _, [, id]) => {
      const order = platform.orders.find((one) => one.id === id);
      return order === undefined ? notFound : [200, { order: platform.viewOrder(order), events: order.history }];
    },
  ],
  ['POST', /^orders\/[^/]+\/[^/]+$/, command],
];
