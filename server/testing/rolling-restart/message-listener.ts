import { WebSocket } from 'ws';
import type { Json } from '../test-server.ts';
import type { Address } from './balancer.ts';

/** The close code of a server that shuts down. */
const shutdown = 1013;

/**
 * Acknowledges the events of an agent on a connection that is opened again after
 * each shutdown, and adds the ids of the messages in them to `received`.
 */
export function listenForMessages(
  { url, ca }: Address,
  token: string,
  received: Set<string>,
  fail: (text: string) => void,
): { readonly opened: () => number; readonly close: () => void } {
  let opened = 0;
  let isClosing = false;
  let socket = open();

  function open(): WebSocket {
    const headers = { authorization: `Bearer ${token}` };
    const next = new WebSocket(`${url.replace(/^http/, 'ws')}/ws/v1/events/`, { headers, ca, family: 4 });
    next.on('open', () => {
      opened += 1;
    });
    next.on('error', (error) => fail(`event connection: ${error.message}`));
    next.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as Json;
      if (frame['type'] !== 'event') return;
      if (frame['kind'] === 'message.created') received.add(String(frame['payload']?.['id']));
      next.send(JSON.stringify({ type: 'ack', event_id: frame['event_id'] }));
    });
    next.on('close', (code) => {
      if (isClosing) return;
      if (code !== shutdown) fail(`event connection closed with ${code}`);
      socket = open();
    });
    return next;
  }

  return {
    opened: () => opened,
    close: () => {
      isClosing = true;
      socket.close();
    },
  };
}
