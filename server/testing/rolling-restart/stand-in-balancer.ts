import { once } from 'node:events';
import { get } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

const checkEveryMs = 100;

/** Balances TCP connections: sends new ones to the ready servers in turn. */
export async function startStandInBalancer(servers: readonly string[]) {
  const ready = new Set(servers);
  const sockets = new Set<Socket>();
  let turn = 0;
  const checking = setInterval(() => {
    for (const server of servers) void isReady(server).then((is) => (is ? ready.add(server) : ready.delete(server)));
  }, checkEveryMs);
  const listener = createServer((near) => {
    const candidates = servers.filter((server) => ready.has(server));
    turn += 1;
    const { hostname, port } = new URL(candidates[turn % candidates.length] ?? servers[0] ?? '');
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    name: 'a stand-in for HAProxy, which is not installed',
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    ca: '',
    stop: async () => {
      clearInterval(checking);
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}

async function isReady(server: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const request = get(`${server}/health/ready`, { agent: false, timeout: 2_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}
