import { expect, it } from 'vitest';
import { parseAckFrame } from './ack-window.ts';

const id = '0199b1c0-0000-7000-8000-0000000000aa';

it('reads an ack, capitals meaning the same id', () => {
  expect(parseAckFrame(`{"type":"ack","event_id":"${id}"}`)).toBe(id);
  expect(parseAckFrame(` {"event_id":"${id.toUpperCase()}", "type":"ack"} `)).toBe(id);
});

it.each([
  ['', 'nothing'],
  ['ack', 'no JSON'],
  ['null', 'null'],
  ['[]', 'a list'],
  [`{"type":"ack"}`, 'no id'],
  [`{"event_id":"${id}"}`, 'no type'],
  [`{"type":"acked","event_id":"${id}"}`, 'another type'],
  [`{"type":"ack","event_id":"${id}","more":1}`, 'another member'],
  [`{"type":"ack","event_id":"${id.replaceAll('-', '')}"}`, 'another form of the id'],
  [`{"type":"ack","event_id":null}`, 'no text for an id'],
  [`{"type":"ack","event_id":["${id}"]}`, 'a list of ids'],
  [`{"type":"ack","event_id":"${id}"}{}`, 'two values'],
])('takes %s for no ack: %s', (text) => {
  expect(parseAckFrame(text)).toBeUndefined();
});
