import { setTimeout as wait } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Json } from '../test-server.ts';
import type { TrustedAddress } from './balancer.ts';

interface EventClientDependencies {
  /** Called with each received event; must return false to leave it unacknowledged. */
  readonly take: (frame: Json, openedMs: number) => boolean;
  /** Called when the server has stored an ack. */
  readonly acked?: (eventId: string) => void;
  /** Called with the close code or error when a connection ends or cannot open, and with the start of the outage. */
  readonly ended: (how: string, sinceMs: number) => void;
  /** Returns the pause before the next connection after this number of consecutive failures. */
  readonly pauseMs?: (failures: number) => number;
}

/** Keeps an agent's event connection open and reconnects whenever it ends. */
export function maintainEventConnection({ url, ca }: TrustedAddress, token: string, parts: EventClientDependencies) {
  let opened = 0;
  let failures = 0;
  let isClosing = false;
  let socket = open();

  function open(): WebSocket {
    const startedMs = performance.now();
    const headers = { authorization: `Bearer ${token}` };
    const next = new WebSocket(`${url.replace(/^http/, 'ws')}/ws/v1/events/`, { headers, ca, family: 4 });
    let failure: string | undefined;
    let wasOpen = false;
    next.on('open', () => {
      wasOpen = true;
      opened += 1;
      failures = 0;
    });
    next.on('error', (error) => {
      failure = error.message;
    });
    next.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as Json;
      if (frame['type'] === 'acked') parts.acked?.(String(frame['event_id']));
      if (frame['type'] !== 'event' || !parts.take(frame, startedMs)) return;
      next.send(JSON.stringify({ type: 'ack', event_id: frame['event_id'] }));
    });
    next.on('close', (code) => {
      if (isClosing) return;
      parts.ended(failure ?? `closed with ${code}`, wasOpen ? performance.now() : startedMs);
      void wait(parts.pauseMs?.(failures) ?? 0).then(() => {
        failures += 1;
        if (!isClosing) socket = open();
      });
    });
    return next;
  }

  return {
    opened: () => opened,
    isOpen: () => socket.readyState === WebSocket.OPEN,
    /** Closes the connection, so that a new one is opened. */
    renew: () => {
      if (socket.readyState === WebSocket.OPEN) socket.close();
    },
    close: () => {
      isClosing = true;
      socket.close();
    },
  };
}
