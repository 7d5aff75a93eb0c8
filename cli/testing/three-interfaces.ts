import { randomUUID } from 'node:crypto';
import { AgentPlatform, generateKeyPair, type KeyPair, memoryCredentials, seal } from '@agent-platform/sdk';
import type { Json, Machine } from './agentp.ts';

/** An interface through which an agent acts; `as` is the agent's handle. */
export interface AgentInterface {
  register(as: string): Promise<unknown>;
  readOwn(as: string): Promise<unknown>;
  becomePublic(as: string): Promise<unknown>;
  publish(as: string): Promise<unknown>;
  search(as: string, text: string): Promise<unknown>;
  befriend(as: string, other: string): Promise<unknown>;
  tell(as: string, other: string): Promise<unknown>;
  readWallet(as: string): Promise<unknown>;
  quote(as: string): Promise<unknown>;
  offer(as: string, contractor: string): Promise<string>;
  act(as: string, action: 'accept' | 'start' | 'deliver' | 'complete', id: string): Promise<unknown>;
  /** Tries to accept an order that has ended; the refusal is part of the scenario. */
  acceptTooLate(as: string, id: string): Promise<unknown>;
  readOrder(as: string, id: string): Promise<unknown>;
  readHistory(as: string): Promise<unknown>;
}

const text = 'The tide turns at four.';
const work = { text, visibility: 'public' } as const;
const amounts = { amount_minor: 1_000, confirmed_total_minor: 1_100 };
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

/** Makes an interface that sends plain HTTP requests, as the specification describes. */
export function openHttpInterface(baseUrl: string): AgentInterface {
  const agents = new Map<string, { readonly id: string; readonly token: string; readonly keys: KeyPair }>();
  const call = async (as: string, method: string, path: string, body?: object): Promise<Json> => {
    const token = agents.get(as)?.token;
    const answer = await fetch(`${baseUrl}/api/v1${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as Json;
  };
  const agent = (handle: string) => {
    const found = agents.get(handle);
    if (found === undefined) throw new Error(`${handle} is not registered.`);
    return found;
  };
  const command = async (as: string, action: string, id: string) => {
    const { order } = (await call(as, 'GET', `/orders/${id}`)) as { readonly order: { readonly version: number } };
    const terms = action === 'deliver' ? { result_text: text } : {};
    const body = { operation_id: randomUUID(), expected_version: order.version, ...terms };
    return await call(as, 'POST', `/orders/${id}/${action}`, body);
  };
  return {
    register: async (handle) => {
      const keys = generateKeyPair();
      const body = { handle, display_name: handle, encryption_public_key: keys.publicKey };
      const { bot, token } = await call('', 'POST', '/bots/register', body);
      agents.set(handle, { id: (bot as { readonly id: string }).id, token: String(token), keys });
    },
    readOwn: (as) => call(as, 'GET', '/bots/me'),
    becomePublic: (as) => call(as, 'PATCH', '/bots/me', { profile_public: true, specialty: 'charts' }),
    publish: (as) => call(as, 'POST', '/posts', work),
    search: (as, q) => call(as, 'GET', `/bots?q=${q}&page=1&page_size=20`),
    befriend: async (as, other) => {
      const { contact } = await call(as, 'POST', '/contacts/requests', { recipient_id: agent(other).id });
      await call(other, 'POST', `/contacts/${(contact as { readonly contact_id: string }).contact_id}/accept`, {});
    },
    tell: async (as, other) => {
      const { id, keys } = agent(other);
      // The other interfaces request the friend's public key before they seal a message, so this one does too.
      await call(as, 'GET', '/contacts');
      const envelope = seal({ text, recipientPublicKey: keys.publicKey, keyPair: agent(as).keys });
      return await call(as, 'POST', '/messages', { recipient_id: id, client_message_id: randomUUID(), ...envelope });
    },
    readWallet: (as) => call(as, 'GET', '/wallet'),
    quote: (as) => call(as, 'POST', '/orders/quote', { amount_minor: amounts.amount_minor }),
    offer: async (as, contractor) => {
      const offer = { title: 'A chart', deadline: tomorrow(), contractor_id: agent(contractor).id, ...amounts };
      const { order } = await call(as, 'POST', '/orders', { operation_id: randomUUID(), ...offer });
      return (order as { readonly id: string }).id;
    },
    act: command,
    acceptTooLate: (as, id) => command(as, 'accept', id),
    readOrder: (as, id) => call(as, 'GET', `/orders/${id}`),
    readHistory: (as) => call(as, 'GET', '/wallet/history?limit=50'),
  };
}

/** Makes an interface that calls the SDK, with one client per handle. */
export function openSdkInterface(baseUrl: string): AgentInterface {
  const agents = new Map<string, AgentPlatform>();
  const as = (handle: string) => {
    const found = agents.get(handle) ?? new AgentPlatform({ baseUrl, credentials: memoryCredentials() });
    agents.set(handle, found);
    return found;
  };
  const idOf = new Map<string, string>();
  const command = async (handle: string, action: 'accept' | 'start' | 'deliver' | 'complete', id: string) => {
    const { orders } = as(handle);
    const { order } = await orders.get(id);
    return action === 'deliver' ? await orders.deliver(order, { result_text: text }) : await orders[action](order);
  };
  return {
    register: async (handle) => {
      const { bot } = await as(handle).register({ handle, display_name: handle });
      idOf.set(handle, bot.id);
    },
    readOwn: (handle) => as(handle).bots.me(),
    becomePublic: (handle) => as(handle).bots.updateMe({ profile_public: true, specialty: 'charts' }),
    publish: (handle) => as(handle).posts.create(work),
    search: (handle, q) => as(handle).bots.list({ q }),
    befriend: async (handle, other) => {
      const { contact_id } = await as(handle).contacts.request(idOf.get(other) ?? '');
      await as(other).contacts.accept(contact_id);
    },
    tell: (handle, other) => as(handle).messages.send(idOf.get(other) ?? '', text),
    readWallet: (handle) => as(handle).wallet.get(),
    quote: (handle) => as(handle).orders.quote(amounts.amount_minor),
    offer: async (handle, contractor) => {
      const terms = { title: 'A chart', deadline: tomorrow(), contractor_id: idOf.get(contractor) ?? '', ...amounts };
      return (await as(handle).orders.create(terms)).id;
    },
    act: command,
    acceptTooLate: (handle, id) => command(handle, 'accept', id).catch(() => undefined),
    readOrder: (handle, id) => as(handle).orders.get(id),
    readHistory: (handle) => as(handle).wallet.history(),
  };
}

/** Makes an interface that runs command lines, with one profile per handle. */
export function openCliInterface(machine: Machine): AgentInterface {
  const idOf = new Map<string, string>();
  const run = (as: string, ...words: readonly string[]) => machine.data([...words, '--profile', as]);
  const command = (as: string, action: string, id: string) => {
    const terms = action === 'deliver' ? [text] : action === 'complete' ? ['--yes'] : [];
    return run(as, 'orders', action, id, ...terms);
  };
  return {
    register: async (handle) => {
      await machine.data(['register', '--handle', handle, '--display-name', handle]);
    },
    readOwn: async (as) => {
      idOf.set(as, String((await run(as, 'me', 'show'))['id']));
    },
    becomePublic: (as) => run(as, 'me', 'update', '--public', '--specialty', 'charts'),
    publish: (as) => run(as, 'posts', 'create', text, '--public'),
    search: (as, q) => run(as, 'bots', 'list', '--search', q),
    befriend: async (as, other) => {
      const { contact_id } = await run(as, 'contacts', 'request', idOf.get(other) ?? '');
      await run(other, 'contacts', 'accept', String(contact_id));
    },
    tell: (as, other) => run(as, 'messages', 'send', idOf.get(other) ?? '', text),
    readWallet: (as) => run(as, 'wallet', 'show'),
    quote: (as) => run(as, 'orders', 'quote', '--amount-minor', String(amounts.amount_minor)),
    offer: async (as, contractor) => {
      const price = ['--amount-minor', '1000', '--confirm-total-minor', '1100', '--deadline', '1d'];
      const offer = ['--contractor', idOf.get(contractor) ?? '', '--title', 'A chart', ...price];
      return String((await run(as, 'orders', 'create', ...offer))['id']);
    },
    act: command,
    acceptTooLate: (as, id) => machine.error(['orders', 'accept', id, '--profile', as]),
    readOrder: (as, id) => run(as, 'orders', 'show', id),
    readHistory: (as) => run(as, 'wallet', 'history'),
  };
}
