import { Contact, Order } from '@agent-platform/contract';
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
const ordersPerState = 20;
const figures = ['id', 'state', 'version', 'title', 'total_minor', 'deadline'] as const;

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
          order: objectSchema(Object.fromEntries(figures.map((name) => [name, memberSchema(order.schema, name)]))),
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
  const { me, now, platform, signal } = context;
  const pages = await Promise.all(
    turnStatesOf(undefined).map((state) => platform.orders.list({ state, pageSize: ordersPerState }, { signal })),
  );
  return pages
    .flatMap(({ orders }) => orders)
    .flatMap((found) => {
      const { id, version } = found;
      const steps: NextStep[] = [...findTurnActions(found, me.id, now())].map((action) => ({
        tool: toolNameOf(action),
        arguments: { order_id: id, expected_version: version },
      }));
      if (steps.length === 0) return [];
      const shown = order.of(found, me.id);
      return [
        {
          order: Object.fromEntries(figures.map((name) => [name, shown[name]])),
          role: getOrderRole(found, me.id),
          next: selectOfferedSteps([{ tool: 'orders_show', arguments: { order_id: id } }, ...steps], context),
        },
      ];
    });
}
