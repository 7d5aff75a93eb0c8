import { describe, expect, it } from 'vitest';
import { makeEventId, makeOrderEvent } from '../../testing/stream-server.ts';
import { parseFrame, topicOf } from './event-frame.ts';

const [one, two] = [makeEventId(1), makeEventId(2)];

describe('a frame from the server', () => {
  it('is an event, and its id is converted to lower case', () => {
    const frame = { ...makeOrderEvent(0xabc), event_id: makeEventId(1).toUpperCase() };

    expect(parseFrame(JSON.stringify(frame))).toMatchObject({
      kind: 'event',
      event: { event_id: makeEventId(1), kind: 'order.changed' },
      sentId: makeEventId(1).toUpperCase(),
    });
  });

  it.each([
    '',
    'null',
    '[]',
    '{"type":"event"',
    '{"type":1}',
    '{"type":"event","event_id":"../../etc/passwd","kind":"order.changed","payload":{}}',
    `{"type":"event","event_id":"${one}","kind":7,"payload":{}}`,
    `{"type":"event","event_id":"${one}","kind":"order.changed","payload":null}`,
  ])('is malformed: %s', (text) => {
    expect(parseFrame(text)).toEqual({ kind: 'malformed' });
  });

  it('is ignored when it responds to an ack or is of a later version', () => {
    expect(parseFrame(`{"type":"acked","event_id":"${one}"}`)).toEqual({ kind: 'other' });
    expect(parseFrame('{"type":"weather"}')).toEqual({ kind: 'other' });
  });
});

describe('the topic of an event', () => {
  it.each([
    ['contact.requested', { peer: { id: one.toUpperCase() } }, one],
    ['contact.blocked', { peer: { id: two } }, two],
    ['message.created', { sender_id: one, recipient_id: two }, one],
    ['order.changed', { order_id: two }, two],
    ['order.changed', { order_id: '../x' }, 'none'],
    ['contact.accepted', { peer: null }, 'none'],
    ['weather.changed', {}, 'none'],
  ])('of %s %j is %s', (kind, payload, topic) => {
    expect(topicOf({ event_id: one, kind, payload })).toBe(topic);
  });
});
