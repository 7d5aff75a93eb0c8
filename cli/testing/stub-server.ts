import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type StubServer = Awaited<ReturnType<typeof startFaultyServer>>;

/** Starts a server on a free port. It responds to every request with `answer`, once it has read the request. */
export async function startFaultyServer(
  answer: (response: ServerResponse, request: IncomingMessage, content: Buffer<ArrayBuffer>) => unknown,
) {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    await answer(response, request, Buffer.concat(chunks));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    /** The requests so far, as `METHOD path`. */
    requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
