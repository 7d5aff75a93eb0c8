import { eventPayloads } from '@agent-platform/contract';
import { parseJsonObject } from '../faults.ts';
import * as frameFaults from '../frame-faults.ts';
import type { FrameFault, FrameLink } from '../passing.ts';
import { type GeneratedFault, makeFaultFactory, makePreviousValue } from './generated.ts';
import { applyToMember, type ContractSchema, membersOf } from './places.ts';

const kinds = Object.keys(eventPayloads) as readonly (keyof typeof eventPayloads)[];
type Event = Record<string, unknown>;
type OfKind = (event: Event) => boolean;

/** Also sends events of some kinds to other connected agents. */
function tells(isMeant: OfKind, isTold: (event: Event, link: FrameLink, other: FrameLink) => boolean): FrameFault {
  return {
    onEvent: (frame, link) => {
      const event = parseJsonObject(frame);
      if (event?.['type'] === 'event' && isMeant(event))
        for (const other of link.others())
          if (other.authorization !== link.authorization && isTold(event, link, other)) other.toClient(frame);
      return [frame];
    },
  };
}

const doubled = (isMeant: OfKind): FrameFault => ({
  onEvent: (frame) => {
    const event = parseJsonObject(frame);
    return event?.['type'] === 'event' && isMeant(event)
      ? [frame, JSON.stringify({ ...event, event_id: crypto.randomUUID() })]
      : [frame];
  },
});

/** Changes the content of events of some kinds. */
const says = (change: (event: Event) => unknown) => (isMeant: OfKind) =>
  frameFaults.changeEvents(change, (kind) => isMeant({ kind }));

const operators: readonly (readonly [string, string, (isMeant: OfKind) => FrameFault])[] = [
  ['is never sent', 'each effect has its event', frameFaults.dropAndAcknowledge],
  [
    'is sent to other agents',
    'an event reaches no agent that it does not concern',
    (isMeant) => tells(isMeant, () => true),
  ],
  ['is sent twice', 'an effect has only one event', doubled],
  ['is not repeated', 'an unacknowledged event is delivered again', frameFaults.sendEventsOnce],
  ['is repeated forever', 'an acknowledged event is not delivered again', frameFaults.redeliverForever],
  ['lacks its id', 'an event has the specified format', says(({ event_id: _, ...rest }) => rest)],
  ['has a number for its id', 'an event has the specified format', says((event) => ({ ...event, event_id: 7 }))],
  ['has another id each time', 'an event keeps its id', renamed],
  ['lacks its payload', 'an event has the specified format', says(({ payload: _, ...rest }) => rest)],
  ['has another kind', 'an event has one of five kinds', says((event) => ({ ...event, kind: 'something.happened' }))],
];

const kindFaults = operators.flatMap(([operator, violates, make]) => {
  const named = makeFaultFactory(operator, violates);
  return kinds.map((kind) => named(kind, '', () => ({ frames: make((event) => event['kind'] === kind) })));
});

/** Assigns events of some kinds a different id on each connection. */
function renamed(isMeant: OfKind): FrameFault {
  const { onEvent, onAck } = frameFaults.changeEventIds();
  return {
    ...(onAck && { onAck }),
    onEvent: (frame, link) => {
      const event = parseJsonObject(frame);
      return event?.['type'] !== 'event' || isMeant(event) ? (onEvent?.(frame, link) ?? [frame]) : [frame];
    },
  };
}

// Covers only this kind, because the specification does not define the members of other payloads.
const payload = membersOf(eventPayloads['order.changed'] as ContractSchema);
const changes: readonly (readonly [string, (value: unknown) => unknown])[] = [
  ['lacks', () => undefined],
  ['has null for', () => null],
  ['has another type for', (value) => (typeof value === 'number' ? String(value) : 7)],
];
const payloadFaults = [
  ...changes.map(([operator, change]) => ({ operator, change: () => change })),
  { operator: 'mixes up', change: makePreviousValue },
].flatMap(({ operator, change }) => {
  const named = makeFaultFactory(operator, 'order.changed has order_id, status and version');
  return payload.map(({ path }) =>
    named('order.changed', path.join('.'), () => {
      const become = change();
      return {
        frames: frameFaults.changeEvents(
          (event) => applyToMember(event, ['payload', ...path], become),
          (kind) => kind === 'order.changed',
        ),
      };
    }),
  );
});

export const eventFaults: readonly GeneratedFault[] = [...kindFaults, ...payloadFaults];
