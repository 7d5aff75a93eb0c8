import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where a request is paused: before the server receives it, or before the client receives the response. */
export type PausePoint = 'before' | 'after';

/** Starts a proxy that forwards every request to a server and can pause requests. */
export async function startPausingProxy(serverUrl: () => string) {
  let holding: { readonly path: RegExp; readonly place: PausePoint; readonly reached: () => void } | undefined;
  let released = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const paused = request.method === 'POST' && holding?.path.test(request.url ?? '') === true ? holding : undefined;
    if (paused?.place === 'before') {
      paused.reached();
      await released.promise;
    }
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const answer = await fetch(`${serverUrl()}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { ...(authorization === '' ? {} : { authorization }), ...(type === '' ? {} : { 'content-type': type }) },
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    const body = Buffer.from(await answer.arrayBuffer());
    if (paused?.place === 'after') {
      paused.reached();
      return;
    }
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    /** Pauses the next POST requests to a path; resolves when one is paused. */
    hold: (path: RegExp, place: PausePoint): Promise<void> =>
      new Promise((resolve) => {
        released = Promise.withResolvers<void>();
        holding = { path, place, reached: resolve };
      }),
    /** Forwards all requests again, including the paused ones; paused responses are dropped. */
    release: () => {
      holding = undefined;
      released.resolve();
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
