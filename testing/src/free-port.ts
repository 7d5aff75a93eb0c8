import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Lower than the ports that operating systems assign, so no program gets a test's port while its server restarts. */
const firstPort = 20_000;
const endPort = 32_768;

export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstPort, endPort);
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}
