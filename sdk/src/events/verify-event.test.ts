import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { verifyEvent } from './verify-event.ts';

const secret = 'the secret of the file';
const event = { event_id: '01a1fe84-bb38-7733-9b89-212d42644965', kind: 'order.changed', payload: { version: 2 } };
const body = JSON.stringify(event);

function sign(text: string, ageSeconds = 0) {
  const timestamp = String(Math.floor(Date.now() / 1_000) - ageSeconds);
  const hex = createHmac('sha256', secret).update(`${timestamp}.${text}`).digest('hex');
  return { 'agentp-timestamp': timestamp, 'agentp-signature': `v1=${hex}` };
}

it('returns an event with a valid signature, with headers as in fetch and Node.js', async () => {
  expect(await verifyEvent(body, sign(body), secret)).toEqual(event);
  expect(await verifyEvent(new TextEncoder().encode(body), new Headers(sign(body)), secret)).toEqual(event);
  expect(await verifyEvent(body, sign(body, 290), secret)).toEqual(event);
});

it.each<[string, string, object, string]>([
  ['a changed body', body.replace('2}', '3}'), sign(body), secret],
  ['another secret', body, sign(body), 'another secret'],
  ['no secret', body, sign(body), ''],
  ['an old timestamp', body, sign(body, 310), secret],
  ['a timestamp of the future', body, sign(body, -310), secret],
  ['another timestamp', body, { ...sign(body), 'agentp-timestamp': sign(body, 10)['agentp-timestamp'] }, secret],
  ['no signature', body, { 'agentp-timestamp': sign(body)['agentp-timestamp'] }, secret],
  ['a body that is no event', '{}', sign('{}'), secret],
])('returns undefined for %s', async (_, text, headers, key) => {
  expect(await verifyEvent(text, { ...headers }, key)).toBeUndefined();
});
