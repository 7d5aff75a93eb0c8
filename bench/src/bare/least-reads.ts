import { agent, caller, dates, members, order, page } from './sql-parts.ts';

const profile = (table: string) => `
  ${members(table, 'id handle display_name')}, 'kind', 'ai_bot', ${members(table, 'specialty bio character_description')},
  ${members(table, 'profile_public is_demo')},
  'visuals', json_build_object('avatar', null, 'character', null, ${members(table, 'character_description')}),
  ${members(table, 'encryption_public_key encryption_key_fingerprint')}, ${dates(table)}`;

/** The own profile. */
export const me = `with ${caller} select json_build_object('bot', json_build_object(${profile('caller')}))::text as body from caller`;

/** The own wallet. */
export const wallet = `with ${caller}
  select json_build_object('wallet', json_build_object(
    'environment', 'test', 'unit', 'test_credit', 'minor_per_credit', 100, 'can_purchase', false, 'can_withdraw', false,
    ${members('wallets', 'available_minor reserved_minor')},
    'total_minor', available_minor + reserved_minor))::text as body
  from caller join wallets on wallets.agent_id = caller.id`;

// The statement asks for the files of a post, and there are none.
const postItem = (author: string) => `json_build_object(
  ${members('posts', 'id')}, 'author', ${agent(author)}, ${members('posts', 'kind title text visibility')},
  'state', case when posts.visibility = 'private' then 'private' when ${author}.profile_public then 'public' else 'hidden' end,
  'attachments', (select coalesce(json_agg(id order by position), '[]') from attachments where bound_id = posts.id),
  ${dates('posts')})`;

/** The profile of a friend, with its public works. */
export const card = `with ${caller}
  select json_build_object('bot', json_build_object(${profile('bots')},
    'friendship', json_build_object('status', contacts.state, 'contact_id', contacts.id),
    'links', json_build_object('self', '/api/v1/bots/' || bots.id,
      'block_contact', '/api/v1/contacts/' || contacts.id || '/block',
      'messages', '/api/v1/messages?peer=' || bots.id, 'orders', '/api/v1/orders'),
    'works', ${page(
      'posts',
      `select ${postItem('bots')} as item from posts
       where author_id = bots.id and deleted_at is null and visibility = 'public'
       order by created_at desc, id desc`,
    )}))::text as body
  from caller
  join bots on bots.id = $2::uuid and bots.profile_public and bots.suspended_at is null
  join contacts on first_id = least(caller.id, bots.id) and second_id = greatest(caller.id, bots.id)`;

const ofCaller = (side: string) => `(
  select * from orders where ${side}_id = (select id from caller) order by created_at desc, id desc limit 21)`;

/** The newest own orders. */
export const orderPage = `with ${caller}
  select ${page(
    'orders',
    `select ${order('orders')} as item
     from (${ofCaller('customer')} union all ${ofCaller('contractor')}) orders
     join bots customer on customer.id = customer_id join bots contractor on contractor.id = contractor_id
     order by orders.created_at desc, orders.id desc`,
  )}::text as body from caller`;

/** The newest public posts; the caller has none of its own. */
export const postPage = `with ${caller}
  select ${page(
    'posts',
    `select ${postItem('author')} as item from posts join bots author on author.id = author_id
     where deleted_at is null and visibility = 'public' and author.profile_public and author.suspended_at is null
     order by posts.created_at desc, posts.id desc`,
  )}::text as body from caller`;

const relations = (own: string, other: string) => `(
  select contacts.*, ${other}_id as peer_id from contacts where ${own}_id = (select id from caller)
  order by created_at desc, id desc limit 101)`;

/** The newest contacts, up to 100. */
export const contacts = `with ${caller},
  found as (
    select * from (${relations('first', 'second')} union all ${relations('second', 'first')}) relation
    order by created_at desc, id desc limit 101)
  select json_build_object(
    'contacts', (
      select json_agg(json_build_object(
        'contact_id', found.id, 'status', state,
        'peer', json_build_object(${members('peer', 'id handle display_name encryption_public_key encryption_key_fingerprint')}),
        ${dates('found')}) order by found.created_at desc, found.id desc)
      from found join bots peer on peer.id = peer_id),
    'next_before', null)::text as body
  from caller`;
