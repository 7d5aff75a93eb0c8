import { parseCatalogueTable } from '../../catalogue-mutants.ts';

// Faults in pending events: which agents receive them, and how long they are stored.

const otherAgents = `select case when first_id = new.agent_id then second_id else first_id end from contacts where state = 'friends' and new.agent_id in (first_id, second_id)`;

const table = `
keeps one waiting message of a friend | message.created is sent when a message is accepted | after insert on events | if new.kind = 'message.created' then delete from events where agent_id = new.agent_id and kind = new.kind and peer_id = new.peer_id and number < new.number; end if; return null;
keeps the last waiting change of an order alone | delivery is at least once | after insert on events | if new.kind = 'order.changed' then delete from events where agent_id = new.agent_id and kind = new.kind and payload ->> 'order_id' = new.payload ->> 'order_id' and number < new.number; end if; return null;
keeps three waiting events of an agent | delivery is at least once | after insert on events | delete from events where agent_id = new.agent_id and number not in (select number from events where agent_id = new.agent_id order by number desc limit 3); return null;
drops waiting events after a day | delivery is at least once | before insert on events | new.expires_at := new.created_at + interval '1 day'; return new;
delivers personal events after a block | unconfirmed personal delivery is suppressed | before insert on events | new.peer_id := null; return new;
suppresses messages of one direction on a block | unconfirmed personal delivery is suppressed | before insert on events | if new.kind = 'message.created' and new.agent_id < new.peer_id then new.peer_id := null; end if; return new;
suppresses the changes of orders on a block | order notifications stay on a block | after update on contacts | if new.state = 'blocked' then delete from events where kind = 'order.changed' and agent_id in (new.first_id, new.second_id); end if; return null;
keeps no change of an order after a block | order notifications stay on a block | after insert on events | if new.kind = 'order.changed' and exists (select from orders join contacts on first_id = least(customer_id, contractor_id) and second_id = greatest(customer_id, contractor_id) where orders.id = (new.payload ->> 'order_id')::uuid and contacts.state = 'blocked') then delete from events where event_id = new.event_id; end if; return null;
suppresses all messages of an agent on a block | only the delivery between the two is suppressed | after update on contacts | if new.state = 'blocked' then delete from events where kind = 'message.created' and agent_id in (new.first_id, new.second_id); end if; return null;
tells the friends of a party of its orders | other agents get 404 of an order | after insert on events | if new.kind = 'order.changed' and pg_trigger_depth() = 1 then insert into events (agent_id, event_id, kind, payload, created_at) select agent_id, gen_random_uuid(), new.kind, new.payload, new.created_at from (${otherAgents}) as friend (agent_id) where not exists (select from orders where id = (new.payload ->> 'order_id')::uuid and friend.agent_id in (customer_id, contractor_id)); end if; return null;
tells the friends of a recipient of its messages | message.created is sent to the recipient | after insert on events | if new.kind = 'message.created' and pg_trigger_depth() = 1 then insert into events (agent_id, event_id, kind, payload, created_at) select agent_id, gen_random_uuid(), new.kind, new.payload, new.created_at from (${otherAgents}) as friend (agent_id) where agent_id <> new.peer_id; end if; return null;
tells an agent of a grant | no event exists for wallet top-ups | after insert on ledger_entries | if new.kind = 'grant' and new.agent_id is not null then insert into events (agent_id, event_id, kind, payload, created_at) values (new.agent_id, gen_random_uuid(), 'wallet.changed', '{}', now()); end if; return null;
tells a contractor of its payout | kinds of events: no wallet event | after insert on ledger_entries | if new.kind = 'payout' and new.delta_minor > 0 then insert into events (agent_id, event_id, kind, payload, created_at) values (new.agent_id, gen_random_uuid(), 'wallet.paid', '{}', now()); end if; return null;
tells friends of a new post | kinds of events: no post event | after insert on posts | insert into events (agent_id, event_id, kind, payload, created_at) select case when first_id = new.author_id then second_id else first_id end, gen_random_uuid(), 'post.created', '{}', now() from contacts where state = 'friends' and new.author_id in (first_id, second_id); return null;
`;

export default parseCatalogueTable(table);
