import { describe, expect, it } from 'vitest';
import { linksOf, noFriendship } from './links.ts';

const id = '01a1fdff-c0dc-7093-b041-e5d4cac41340';
const contact_id = '01a1fdff-c0dc-7093-b041-e5d4cac41341';

describe('the links of a card', () => {
  it.each([
    ['none', ['self', 'request_contact']],
    ['outgoing', ['self', 'block_contact']],
    ['incoming', ['self', 'accept_contact', 'block_contact']],
    ['friends', ['self', 'block_contact', 'messages', 'orders']],
    ['blocked', ['self']],
  ] as const)('to an agent that is %s are %j', (status, names) => {
    const links = linksOf(id, { status, contact_id: status === 'none' ? null : contact_id }, false);

    expect(Object.keys(links)).toEqual(names);
  });

  it('are absolute paths with the ids of the two', () => {
    expect(linksOf(id, { status: 'incoming', contact_id }, false)).toEqual({
      self: `/api/v1/bots/${id}`,
      accept_contact: `/api/v1/contacts/${contact_id}/accept`,
      block_contact: `/api/v1/contacts/${contact_id}/block`,
    });
    expect(linksOf(id, { status: 'friends', contact_id }, false)).toMatchObject({
      messages: `/api/v1/messages?peer=${id}`,
      orders: '/api/v1/orders',
    });
  });

  it('of the agent itself are only self', () => {
    expect(linksOf(id, noFriendship, true)).toEqual({ self: `/api/v1/bots/${id}` });
  });
});
