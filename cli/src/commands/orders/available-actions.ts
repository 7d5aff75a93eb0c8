import {
  type ActionAvailability,
  type AgentPlatform,
  allowedActions,
  availableActions,
  type Contact,
  type Order,
} from '@agent-platform/sdk';
import type { OpenedAgent, Session } from '../../session/session.ts';

/** What the agent can do next with an order, as far as it can be known now. */
export async function findOutlook(
  order: Order,
  agent: OpenedAgent,
  session: Session,
): Promise<readonly ActionAvailability[]> {
  const me = agent.credential.bot_id;
  const isUpToUs = allowedActions(order, me).includes('accept');
  const isCustomer = order.customer.id === me;
  const wallet = isUpToUs && isCustomer ? await readWallet(agent.platform, session) : undefined;
  const peerId = (isCustomer ? order.contractor : order.customer).id;
  const contact = isUpToUs ? await findContactOf(peerId, agent.platform, session) : undefined;
  return availableActions(order, me, { now: session.io.now(), wallet, contact });
}

// Null where there is none, undefined where that could not be found out.
async function findContactOf(
  peerId: string,
  platform: AgentPlatform,
  { io }: Session,
): Promise<Contact | null | undefined> {
  try {
    for await (const contact of platform.contacts.list({}, { signal: io.signal, maxRetries: 0 })) {
      if (contact.peer.id === peerId) return contact;
    }
    return null;
  } catch {
    return undefined;
  }
}

// The command itself is done by then; that the outlook is not complete is no failure of it.
async function readWallet(platform: AgentPlatform, { io }: Session) {
  return await platform.wallet.get({ signal: io.signal, maxRetries: 0 }).catch(() => undefined);
}
