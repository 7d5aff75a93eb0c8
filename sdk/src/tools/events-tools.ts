import { Contact, OrderChanged } from '@agent-platform/contract';
import type { AgentPlatform } from '../agent-platform.ts';
import type { InboxEvent, PlatformEvent } from '../contacts/contact-and-message-types.ts';
import { EnvelopeError, isPlatformError } from '../errors.ts';
import { topicOf } from '../events/event-frame.ts';
import type { EventLease } from '../events/options.ts';
import type { StoredEvent } from '../state/client-state.ts';
import { type NextStep, nextStepsSchema, selectOfferedSteps } from './inputs.ts';
import { messageSchema, toMessageResult } from './messages-tools.ts';
import {
  arraySchema,
  type JsonSchema,
  nullableSchema,
  objectSchema,
  textSchema,
  uuidSchema,
} from './schemas/json-schema.ts';
import { makeRecordView } from './schemas/record-view.ts';
import type { Tool, ToolContext } from './tool.ts';

const contact = makeRecordView(Contact);
const orderChange = makeRecordView(OrderChanged);
const leaseMs = 300_000;
const waitMaxSeconds = 50;
const eventsMax = 20;

const event: JsonSchema = objectSchema(
  {
    kind: textSchema('contact.requested, contact.accepted, contact.blocked, message.created or order.changed.'),
    next: nextStepsSchema,
  },
  {
    contact: contact.schema,
    message: { ...messageSchema, properties: { ...messageSchema.properties, sender_id: uuidSchema('Who sent it.') } },
    order: orderChange.schema,
  },
);

export const eventsTools: readonly Tool[] = [
  {
    name: 'events_next',
    command: 'events next',
    effect: 'write',
    repeat: 'never',
    description:
      'Waits for news: up to 20 events, an order only with its newest state. Act on each with the call in next, then call events_done; after 5 minutes they are returned again.',
    input: objectSchema(
      {},
      {
        wait_seconds: {
          type: 'integer',
          minimum: 0,
          maximum: waitMaxSeconds,
          description: 'Seconds to wait for the first event, default 0.',
        },
      },
    ),
    output: objectSchema({ events: arraySchema(event) }, { lease_id: nullableSchema(textSchema('For events_done.')) }),
    run: async (input, context) => {
      const shown = [];
      const leased: [eventId: string, leaseId: string | undefined][] = [];
      let waitMs = (input.optionalNumber('wait_seconds') ?? 0) * 1_000;
      while (shown.length < eventsMax) {
        const lease = await context.events.next(leaseMs, waitMs, context.signal);
        if (lease === undefined) break;
        waitMs = 0;
        const batch = await showTopic(lease, eventsMax - shown.length, context);
        shown.push(...batch.shown);
        leased.push(...batch.leased);
      }
      const [first] = leased;
      if (first?.[1] !== undefined) context.events.remember(first[1], leased);
      return { events: shown, lease_id: first?.[1] ?? null };
    },
  },
  {
    name: 'events_done',
    command: 'events done',
    effect: 'write',
    repeat: 'idempotent',
    description:
      'Finishes the events of one events_next, when you have acted on them. False: some were reserved again and are returned again. Then wait for more with events_next.',
    input: objectSchema({ lease_id: uuidSchema('lease_id of events_next.') }),
    output: objectSchema({ done: { type: 'boolean' } }),
    run: async (input, { events }) => ({ done: await events.finish(input.text('lease_id')) }),
  },
];

/** Also shows the waiting events of the topic, which no other process can lease during this lease. */
async function showTopic(lease: EventLease, max: number, context: ToolContext) {
  const { platform } = context;
  const first = await showEvent(lease.event, context);
  if (first.fault instanceof EnvelopeError) {
    await platform.events.park(lease, first.fault.message);
    return { shown: [first.shown], leased: [] };
  }
  const topic = topicOf(lease.event as StoredEvent);
  const waiting = (await platform.events.list('waiting')).map(({ event }) => event);
  const behind = waiting.filter((event) => topicOf(event as StoredEvent) === topic);
  const leased: [string, string | undefined][] = [[lease.event.event_id, lease.lease_id]];
  const shown = [first.shown];
  for (const event of behind) {
    const isSameOrder = lease.event.kind === 'order.changed';
    if (!isSameOrder && shown.length === max) break;
    const { shown: one, fault } = await showEvent(event, context);
    // Stops at an event that cannot be shown; it is parked later, when it is leased itself.
    if (fault !== undefined) break;
    shown.push(one);
    leased.push([event.event_id, undefined]);
  }
  const merged = lease.event.kind === 'order.changed' ? shown.slice(-1) : shown;
  return { shown: merged, leased };
}

async function showEvent({ kind: named, payload }: InboxEvent, context: ToolContext) {
  const { me, platform } = context;
  const kind = String(named);
  const next = selectOfferedSteps(stepsFor(kind, payload), context);
  if (kind.startsWith('contact.')) return { shown: { kind, contact: contact.of(payload, me.id), next } };
  if (kind === 'order.changed') return { shown: { kind, order: orderChange.of(payload, me.id), next } };
  if (kind !== 'message.created') return { shown: { kind, next } };
  const { message, fault } = await openMessage(payload, platform);
  return { shown: { kind, message, next: fault === undefined ? next : [] }, fault };
}

async function openMessage(payload: unknown, platform: AgentPlatform) {
  // The stored JSON is assumed to have the type in the contract.
  const { payload: message } = { payload } as PlatformEvent<'message.created'>;
  const { sender_id, id, created_at } = message;
  try {
    return { message: { ...toMessageResult(await platform.messages.open(message)), sender_id } };
  } catch (fault) {
    if (!isPlatformError(fault)) throw fault;
    return { message: { id, direction: 'received', created_at, error: fault.code, sender_id }, fault };
  }
}

function stepsFor(kind: string, payload: unknown): readonly NextStep[] {
  const read = (...path: readonly string[]): unknown =>
    path.reduce<unknown>((value, name) => (value === null ? null : Reflect.get(Object(value), name)), payload);
  if (kind === 'contact.requested') return [{ tool: 'contacts_accept', arguments: { agent: read('peer', 'id') } }];
  if (kind === 'message.created') return [{ tool: 'messages_send', arguments: { agent: read('sender_id') } }];
  return kind === 'order.changed' ? [{ tool: 'orders_show', arguments: { order_id: read('order_id') } }] : [];
}
