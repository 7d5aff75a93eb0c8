import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands before a server, passes everything on, and loses answers while it is told to. */
export interface LosingProxy {
  readonly url: string;
  /** From now on, answers to requests on paths that match are lost on their way back; undefined loses none. */
  lose(path: RegExp | undefined): void;
  close(): Promise<void>;
}

/** Starts a proxy on a free port. */
export async function startLosingProxy(serverUrl: string): Promise<LosingProxy> {
  let losing: RegExp | undefined;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const answer = await fetch(`${serverUrl}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { ...(authorization === '' ? {} : { authorization }), ...(type === '' ? {} : { 'content-type': type }) },
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    const body = Buffer.from(await answer.arrayBuffer());
    if (losing?.test(request.url ?? '') === true) {
      request.socket.resetAndDestroy();
      return;
    }
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    lose: (path) => {
      losing = path;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
