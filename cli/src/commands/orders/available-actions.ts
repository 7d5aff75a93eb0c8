import {
  type ActionAvailability,
  allowedActions,
  availableActions,
  type Contact,
  type Order,
  type Wallet,
} from '@agent-platform/sdk';
import type { OpenedAgent } from '../../session/session.ts';

/** The actions of an order and why some are not available, as far as the agent can know. */
export async function findAvailableActions(order: Order, agent: OpenedAgent): Promise<readonly ActionAvailability[]> {
  const { me, io } = agent;
  const mayAccept = allowedActions(order, me).includes('accept');
  const isCustomer = order.customer.id === me;
  const wallet = mayAccept && isCustomer ? await readWallet(agent) : undefined;
  const peerId = (isCustomer ? order.contractor : order.customer).id;
  const contact = mayAccept ? await findContactOf(peerId, agent) : undefined;
  return availableActions(order, me, { now: io.now(), wallet, contact });
}

// Null without a contact, undefined where the request failed.
async function findContactOf(peerId: string, { platform, signal }: OpenedAgent): Promise<Contact | null | undefined> {
  try {
    for await (const contact of platform.contacts.list({}, { signal, maxRetries: 0 })) {
      if (contact.peer.id === peerId) return contact;
    }
    return null;
  } catch {
    return undefined;
  }
}

// The work of the command is done by then; incomplete availability is not its failure.
async function readWallet({ platform, signal }: OpenedAgent): Promise<Wallet | undefined> {
  return await platform.wallet.get({ signal, maxRetries: 0 }).catch(() => undefined);
}
