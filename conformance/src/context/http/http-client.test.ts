import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { answerTimes, openHttpClient } from './http-client.ts';

it('gives up an answer that never ends, however often a byte of it comes', async () => {
  const server = createServer((_, response) => {
    const dripping = setInterval(() => response.write(' '), 50);
    response.once('close', () => clearInterval(dripping));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = openHttpClient(`http://127.0.0.1:${port}`, { ...answerTimes(1), wholeMs: 1_000 });
  const sent = client.send({ method: 'GET', path: '/', headers: {}, body: '' });

  await expect(sent).rejects.toThrow('no complete answer within 1000 ms');
  client.close();
  server.close();
});
