import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** A TCP proxy to a backend; it can interrupt, delay and restore traffic. */
export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;

export async function startTcpProxy(backendUrl: string) {
  let delayMs = 0;
  const target = new URL(backendUrl);
  const sockets = new Set<Socket>();
  let state: 'open' | 'frozen' | 'cut' = 'open';
  const server = createServer((near) => {
    if (state === 'cut') {
      near.destroy();
      return;
    }
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      // Data waits for earlier data, so that the order of the stream does not change when a delay ends.
      let earlier: Promise<unknown> | undefined;
      from.on('data', (chunk) => {
        if (delayMs === 0 && earlier === undefined) {
          to.write(chunk);
          return;
        }
        const later = Promise.all([earlier, wait(delayMs)]).then(() => {
          if (earlier === later) earlier = undefined;
          if (to.writable) to.write(chunk);
        });
        earlier = later;
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (state === 'frozen') from.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(backendUrl);
  url.hostname = '127.0.0.1';
  url.port = typeof address === 'object' && address !== null ? String(address.port) : '';
  return {
    url: url.href,
    /** Stops all traffic without closing connections, until `thaw`. */
    freeze: () => {
      state = 'frozen';
      for (const socket of sockets) socket.pause();
    },
    /** Delays all traffic by this time in both directions, until `thaw`. */
    slowDown: (milliseconds: number) => {
      delayMs = milliseconds;
    },
    thaw: () => {
      state = 'open';
      delayMs = 0;
      for (const socket of sockets) socket.resume();
    },
    /** Closes every connection and rejects new ones, until `thaw`. */
    cut: () => {
      state = 'cut';
      for (const socket of sockets) socket.destroy();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
