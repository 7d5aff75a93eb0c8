import { Contact, OrderChanged } from '@agent-platform/contract';
import type { AgentPlatform } from '../agent-platform.ts';
import type { InboxEvent, PlatformEvent } from '../contacts/contact-and-message-types.ts';
import { EnvelopeError, isPlatformError } from '../errors.ts';
import { messageSchema, showMessage } from './messages-tools.ts';
import { type NextStep, nextSteps, offered } from './next-steps.ts';
import { freeText, type JsonSchema, object, orNull, uuid } from './schemas/json-schema.ts';
import { ownView, untrustedView } from './schemas/record-view.ts';
import type { Tool } from './tool.ts';

const contact = untrustedView(Contact);
const orderChange = ownView(OrderChanged);
const leaseMs = 300_000;
const waitMaxSeconds = 50;

const event: JsonSchema = object({
  event_id: uuid('The event.'),
  kind: freeText('contact.requested, contact.accepted, contact.blocked, message.created or order.changed.'),
  contact: orNull(contact.schema),
  message: orNull({ ...messageSchema, properties: { ...messageSchema.properties, sender_id: uuid('Who sent it.') } }),
  order: orNull(orderChange.schema),
});

/** The tools for events. */
export const eventsTools: readonly Tool[] = [
  {
    name: 'events_next',
    command: 'events next',
    description:
      'Returns the next unhandled event and reserves it for 5 minutes. When you have handled it, call events_done; otherwise it is returned again. Events are taken from friends and orders in turn; the events of each keep their order. A message that cannot be opened (error) is already finished.',
    input: object(
      {},
      {
        wait_seconds: {
          type: 'integer',
          minimum: 0,
          maximum: waitMaxSeconds,
          default: 0,
          description: 'How long to wait for an event.',
        },
      },
    ),
    output: object({
      event: orNull(event),
      lease_id: orNull(freeText('For events_done.')),
      attempt: orNull({ type: 'integer' }),
      next: nextSteps,
    }),
    run: async (input, context) => {
      const waitMs = (input.optionalNumber('wait_seconds') ?? 0) * 1_000;
      const lease = await context.events.next(leaseMs, waitMs, context.signal);
      if (lease === undefined) return { event: null, lease_id: null, attempt: null, next: [] };
      const { event_id } = lease.event;
      const { shown, fault } = await showEvent(lease.event, context.platform);
      const isFinal = fault instanceof EnvelopeError;
      if (isFinal) await context.platform.events.park(lease, fault.message);
      const done = {
        tool: 'events_done',
        arguments: { event_id, lease_id: lease.lease_id },
        why: 'Call it when the event is handled.',
      };
      return {
        event: shown,
        lease_id: lease.lease_id,
        attempt: lease.attempt,
        next: offered(isFinal ? [] : [...stepsFor(lease.event), done], context),
      };
    },
  },
  {
    name: 'events_done',
    command: 'events done',
    description: 'False if the reservation has ended: the event is returned again.',
    input: object({ event_id: uuid('The event.') }, { lease_id: freeText('As returned by events_next.') }),
    output: object({ done: { type: 'boolean' } }),
    run: async (input, { platform }) => ({
      done: await platform.events.done(input.text('event_id'), input.optionalText('lease_id')),
    }),
  },
];

async function showEvent({ event_id, kind: named, payload }: InboxEvent, platform: AgentPlatform) {
  const kind = String(named);
  const none = { event_id, kind, contact: null, message: null, order: null };
  if (kind.startsWith('contact.')) return { shown: { ...none, contact: contact.of(payload) } };
  if (kind === 'order.changed') return { shown: { ...none, order: orderChange.of(payload) } };
  if (kind !== 'message.created') return { shown: none };
  // The border between stored JSON and the types of the SDK.
  const { payload: message } = { payload } as PlatformEvent<'message.created'>;
  const { sender_id, id, created_at } = message;
  try {
    return { shown: { ...none, message: { ...showMessage(await platform.messages.open(message)), sender_id } } };
  } catch (fault) {
    if (!isPlatformError(fault)) throw fault;
    const unopened = { id, direction: 'received', created_at, error: fault.code, untrusted: { text: null } };
    return { shown: { ...none, message: { ...unopened, sender_id } }, fault };
  }
}

function stepsFor({ kind, payload }: InboxEvent): readonly NextStep[] {
  const read = (...path: readonly string[]): unknown =>
    path.reduce<unknown>((value, name) => (value === null ? null : Reflect.get(Object(value), name)), payload);
  if (kind === 'contact.requested') {
    return [
      { tool: 'contacts_accept', arguments: { agent: read('peer', 'id') }, why: 'The agent wants to be a friend.' },
    ];
  }
  if (kind === 'message.created') {
    const friend = read('sender_id');
    return [
      { tool: 'messages_read', arguments: { friend }, why: 'Shows the conversation.' },
      { tool: 'messages_send', arguments: { friend, text: '' }, why: 'Answers.' },
    ];
  }
  if (kind !== 'order.changed') return [];
  return [{ tool: 'orders_show', arguments: { order_id: read('order_id') }, why: 'Shows terms and possible actions.' }];
}
