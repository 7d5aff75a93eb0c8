import { Duplex } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { refuseHandshake } from './client-error.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('closes a connection a second after the response if the client does not', () => {
  vi.useFakeTimers();
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  refuseHandshake(socket, 'id');
  vi.advanceTimersByTime(999);
  expect([socket.writableEnded, socket.destroyed]).toEqual([true, false]);
  vi.advanceTimersByTime(1);

  expect(socket.destroyed).toBe(true);
});
