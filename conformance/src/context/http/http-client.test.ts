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

it('has an answer also where a server changes the protocol, and gives up a connection that ends without one', async () => {
  const server = createServer();
  const answers = ['HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', ''];
  server.on('connection', (socket) => socket.once('data', () => socket.end(answers.shift() ?? '')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = openHttpClient(`http://127.0.0.1:${port}`);
  const send = () => client.send({ method: 'GET', path: '/', headers: {}, body: '' });

  expect((await send()).status).toBe(101);
  await expect(send()).rejects.toThrow('got no answer');
  client.close();
  server.close();
});
