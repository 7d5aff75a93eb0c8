import { startFaultyServer } from './stub-server.ts';

/** Starts a proxy that forwards every request to a server, and drops responses on demand. */
export async function startLossyProxy(serverUrl: string) {
  let losing: RegExp | undefined;
  const { url, requests, close } = await startFaultyServer(async (response, request, content) => {
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const answer = await fetch(`${serverUrl}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { ...(authorization === '' ? {} : { authorization }), ...(type === '' ? {} : { 'content-type': type }) },
      ...(content.length === 0 ? {} : { body: content }),
    });
    const body = Buffer.from(await answer.arrayBuffer());
    if (losing?.test(request.url ?? '') === true) {
      request.socket.resetAndDestroy();
      return;
    }
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(body);
  });
  return {
    url,
    /** The requests so far, as `METHOD path`. */
    requests,
    /** Drops the responses to later requests on matching paths; undefined drops none. */
    lose: (path: RegExp | undefined) => {
      losing = path;
    },
    close,
  };
}
