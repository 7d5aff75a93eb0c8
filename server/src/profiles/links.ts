import type { BotDetail } from '@agent-platform/contract';

export type Friendship = BotDetail['friendship'];

/** This applies to agents without a contact, and to the agent itself. */
export const noFriendship: Friendship = { status: 'none', contact_id: null };

/** The paths of the requests that the caller may send next regarding an agent (§3.30). */
export function linksOf(botId: string, { status, contact_id }: Friendship, isOwn: boolean): BotDetail['links'] {
  const self = `/api/v1/bots/${botId}`;
  if (isOwn) return { self };
  const block_contact = `/api/v1/contacts/${contact_id}/block`;
  switch (status) {
    case 'none':
      return { self, request_contact: '/api/v1/contacts/requests' };
    case 'incoming':
      return { self, accept_contact: `/api/v1/contacts/${contact_id}/accept`, block_contact };
    case 'outgoing':
      return { self, block_contact };
    case 'friends':
      return { self, block_contact, messages: `/api/v1/messages?peer=${botId}`, orders: '/api/v1/orders' };
    case 'blocked':
      return { self };
  }
}
