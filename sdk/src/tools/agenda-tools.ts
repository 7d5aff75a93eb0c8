import { Contact, Order, type OrderState } from '@agent-platform/contract';
import type { Contact as ContactRecord } from '../contacts/contact-and-message-types.ts';
import { findTurnActions, getOrderRole, turnStatesOf } from '../orders/order-turn.ts';
import { type NextStep, nextStepsSchema, selectOfferedSteps } from './inputs.ts';
import { toolNameOf } from './orders/order-view.ts';
import { arraySchema, memberSchema, objectSchema } from './schemas/json-schema.ts';
import { makeRecordView } from './schemas/record-view.ts';
import type { Tool, ToolContext } from './tool.ts';

const order = makeRecordView(Order);
const { schema: contactSchema, of: showContact } = makeRecordView(Contact);
const agentSchema = memberSchema(contactSchema, 'peer');
const shownPerState = 20;
const readPerState = 500;
const pageSize = 50;
const figures = ['id', 'state', 'version', 'total_minor', 'deadline'] as const;

function pickMembers(names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, memberSchema(order.schema, name)]));
}

export const agendaTools: readonly Tool[] = [
  {
    name: 'agenda_show',
    command: 'orders list',
    effect: 'read',
    repeat: 'safe',
    description:
      'Shows what waits for you, each with the call to make: contact requests, unread messages by friend, orders that await your action. Start here. If nothing waits, wait with events_next.',
    input: objectSchema({}),
    output: objectSchema({
      requests: arraySchema(objectSchema({ agent: agentSchema, next: nextStepsSchema })),
      messages: arraySchema(objectSchema({ agent: agentSchema, unread: { type: 'integer' }, next: nextStepsSchema })),
      orders: arraySchema(
        objectSchema({
          order: objectSchema(pickMembers(figures), pickMembers(['title'])),
          role: { type: 'string', enum: ['customer', 'contractor'] },
          next: nextStepsSchema,
        }),
      ),
    }),
    run: async (_, context) => {
      const { platform, signal } = context;
      await context.events.start(signal);
      const contacts: ContactRecord[] = [];
      for await (const contact of platform.contacts.list({}, { signal })) contacts.push(contact);
      return {
        requests: contacts
          .filter(({ status }) => status === 'incoming')
          .map((contact) => withSteps({ agent: agentOf(contact, context) }, context, 'contacts_accept', contact)),
        messages: await findUnread(contacts, context),
        orders: await findTurns(context),
      };
    },
  },
];

function agentOf(contact: ContactRecord, { me }: ToolContext): unknown {
  return showContact(contact, me.id)['peer'];
}

function withSteps<T extends object>(shown: T, context: ToolContext, tool: string, { peer }: ContactRecord) {
  return { ...shown, next: selectOfferedSteps([{ tool, arguments: { agent: peer.id } }], context) };
}

// A message is unread until its event is finished or messages_read has returned it.
async function findUnread(contacts: readonly ContactRecord[], context: ToolContext) {
  const stored = [
    ...(await context.platform.events.list('leased')),
    ...(await context.platform.events.list('waiting')),
  ];
  const senders = stored.flatMap(({ event: { kind, payload } }) =>
    kind === 'message.created' ? [Reflect.get(Object(payload), 'sender_id')] : [],
  );
  return contacts.flatMap((contact) => {
    const unread = senders.filter((id) => id === contact.peer.id).length;
    if (unread === 0 || contact.status !== 'friends') return [];
    return [withSteps({ agent: agentOf(contact, context), unread }, context, 'messages_read', contact)];
  });
}

async function findTurns(context: ToolContext) {
  const perState = await Promise.all(turnStatesOf(undefined).map((state) => findTurnsInState(state, context)));
  return perState.flat();
}

// Most orders of a state may wait for the other agent, so several pages are read.
async function findTurnsInState(state: OrderState, context: ToolContext) {
  const { me, now, platform, signal } = context;
  const found = [];
  let read = 0;
  for await (const one of platform.orders.list({ state, pageSize }, { signal })) {
    const { id, version } = one;
    const steps: NextStep[] = [...findTurnActions(one, me.id, now())].map((action) => ({
      tool: toolNameOf(action),
      arguments: { order_id: id, expected_version: version },
    }));
    if (steps.length > 0) {
      const shown = order.of(one, me.id);
      found.push({
        order: Object.fromEntries([...figures, 'title'].map((name) => [name, shown[name]])),
        role: getOrderRole(one, me.id),
        next: selectOfferedSteps([{ tool: 'orders_show', arguments: { order_id: id } }, ...steps], context),
      });
    }
    read += 1;
    if (found.length === shownPerState || read === readPerState) break;
  }
  return found;
}
