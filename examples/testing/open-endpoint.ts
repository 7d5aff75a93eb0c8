import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Forwarded {
  readonly kind: string;
  readonly text?: string;
}

/** Starts an HTTP endpoint that records the JSON bodies it receives. */
export async function startRecordingEndpoint() {
  const received: Forwarded[] = [];
  const endpoint = createServer((request, response) => {
    void json(request).then((body) => {
      received.push(body as Forwarded);
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(endpoint, 'listening');
  const { port } = endpoint.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, received, close: () => endpoint.close() };
}
