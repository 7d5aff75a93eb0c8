import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { isObject, parseJson } from '../../context/json.ts';
import { FaultStream } from './event-stream.ts';
import { FaultPlatform } from './fault-platform.ts';
import { answer, type Reply } from './operations.ts';
import type { Trace, TracedRequest } from './trace.ts';

/** What goes wrong at the next requests that fit. */
interface RequestFault {
  readonly method: string;
  readonly path: RegExp;
  times: number;
  /** The work is done, with or without its answer; or another answer comes, and nothing is done. */
  readonly how:
    | 'answer'
    | 'lose the answer'
    | { readonly reply: Reply; readonly headers?: Readonly<Record<string, string>> };
  /** How much longer than usual it takes. */
  readonly slowMs?: number;
  /** Called before the request is handled. */
  readonly before?: () => void;
}

const bodyMaxBytes = 22 * 1024 * 1024;
const slowMs = 15;

/** A server that answers as the specification allows, and badly. */
export async function startFaultServer() {
  const trace: Trace = { requests: [], frames: [] };
  const platform = new FaultPlatform();
  const faults: RequestFault[] = [];
  const http = createServer((incoming, response) => {
    handle(incoming, response, { trace, platform, faults }).catch(() => response.destroy());
  });
  const stream = new FaultStream(http, platform, trace);
  platform.announce = (kind, payload) => stream.announce(kind, payload);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return {
    ...{ trace, platform, faults, stream },
    baseUrl: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    close: async () => {
      stream.cut();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

export type FaultServer = Awaited<ReturnType<typeof startFaultServer>>;

async function handle(
  incoming: IncomingMessage,
  response: ServerResponse,
  { trace, platform, faults }: Pick<FaultServer, 'trace' | 'platform' | 'faults'>,
): Promise<void> {
  const request = await readRequest(incoming);
  trace.requests.push(request);
  await wait(slowMs);
  const fault = faults.find(
    ({ method, path, times }) => times > 0 && method === request.method && path.test(request.path),
  );
  if (fault !== undefined) fault.times -= 1;
  fault?.before?.();
  const replacement = typeof fault?.how === 'object' ? fault.how : undefined;
  const [status, body] = replacement?.reply ?? answer(platform, request);
  request.answer = JSON.stringify(body);
  // After the work: a client that does not wait repeats what was done.
  if (fault?.slowMs !== undefined) await wait(fault.slowMs);
  if (fault?.how === 'lose the answer') {
    response.socket?.resetAndDestroy();
    return;
  }
  request.status = status;
  request.headers = { 'content-type': 'application/json', ...replacement?.headers };
  response.writeHead(status, request.headers).end(request.answer);
}

async function readRequest(incoming: IncomingMessage): Promise<TracedRequest> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size <= bodyMaxBytes) chunks.push(chunk);
  }
  const body = Buffer.concat(chunks).toString('utf8');
  const json = parseJson(body);
  const [path = '', query] = (incoming.url ?? '').split('?');
  return {
    ...{ at: Date.now(), method: incoming.method ?? '', path, query: query === undefined ? '' : `?${query}` },
    token: /^Bearer (\S+)$/i.exec(incoming.headers.authorization ?? '')?.[1],
    contentType: incoming.headers['content-type'],
    ...{ body, json: isObject(json) ? json : {}, status: 0, answer: '', headers: {} },
  };
}
