import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { contactHandlers } from './contacts.ts';
import { selectPage } from './fields.ts';
import { fileHandlers } from './files.ts';
import { answerJson, enforceRateLimit, type HandlerContext, type JsonAnswer, Refusal, readJson } from './http.ts';
import { identityHandlers, suspendAgent } from './identity.ts';
import { orderHandlers } from './orders.ts';
import { postHandlers } from './posts.ts';
import { bearerOf, botOfToken, serveStream } from './stream.ts';
import { walletHandlers } from './wallet.ts';
import { addPosting, currentTimeOf, type ServerLimits, ServerState } from './world.ts';

type Work = (call: HandlerContext) => JsonAnswer | Promise<JsonAnswer>;

interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly work: Work;
  readonly body: 'json' | 'none' | 'own';
}

const routes: Route[] = [];
const route = (method: string, path: string, work: Work, body: Route['body'] = method === 'GET' ? 'none' : 'json') =>
  routes.push({ method, path: new RegExp(`^/api/v1/${path.replaceAll('*', '([^/]+)')}$`), work, body });

route('GET', 'bots/me', identityHandlers.readMe);
route('PATCH', 'bots/me', identityHandlers.changeMe);
route('POST', 'tokens/rotate', identityHandlers.rotate, 'none');
route('POST', 'tokens/revoke', identityHandlers.revoke, 'none');
route('GET', 'bots', (call) => identityHandlers.search(call, (list) => selectPage(call.query, 1000, list)));
route('GET', 'bots/*', postHandlers.readProfile);
route('GET', 'posts', postHandlers.list);
route('POST', 'posts', postHandlers.publish);
route('GET', 'posts/*', postHandlers.readOne);
route('PATCH', 'posts/*', postHandlers.change);
route('DELETE', 'posts/*', postHandlers.remove, 'none');
route('POST', 'contacts/requests', contactHandlers.request);
route('GET', 'contacts', contactHandlers.list);
route('POST', 'contacts/*/accept', contactHandlers.accept);
route('POST', 'contacts/*/block', contactHandlers.block);
route('GET', 'messages', contactHandlers.read);
route('POST', 'messages', contactHandlers.send);
route('POST', 'attachments', fileHandlers.upload, 'own');
route('GET', 'wallet', walletHandlers.read);
route('GET', 'wallet/history', walletHandlers.history);
route('POST', 'orders/quote', orderHandlers.quote);
route('GET', 'orders', orderHandlers.list);
route('POST', 'orders', orderHandlers.create);
route('GET', 'orders/*', orderHandlers.read);
route('POST', 'orders/*/*', orderHandlers.act);

const filePath = /^\/api\/v1\/attachments\/([0-9a-f-]{36})(?:\/(preview|download))?$/i;
const registration = '/api/v1/bots/register';

function find(method: string, path: string): { route: Route; ids: string[] } {
  const known = routes.filter((one) => one.path.test(path));
  const allowed = known.map((one) => one.method);
  if (path === registration) throw new Refusal('wrong_method', { Allow: 'POST' });
  const found = known.find((one) => one.method === method);
  if (found !== undefined) return { route: found, ids: found.path.exec(path)?.slice(1) ?? [] };
  throw known.length > 0 ? new Refusal('wrong_method', { Allow: allowed.join(', ') }) : new Refusal('not_found');
}

/** Performs an operator command, which is sent in a request that the specification does not define. */
function operate(world: ServerState, [act, first = '', amount]: readonly string[]): void {
  const entry = { transaction: randomUUID(), operation: randomUUID(), order: null };
  if (act === 'grant')
    addPosting(world, { owner: first, account: 'spendable', change: Number(amount), kind: 'grant', ...entry });
  else if (act === 'suspend') suspendAgent(world, first);
  else if (act === 'advance') world.aheadMs += Number(first) * 1000;
  else throw new Refusal('not_found');
}

async function handle(world: ServerState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://server');
  const method = request.method ?? '';
  if (pathname.startsWith('/operator/')) {
    operate(world, pathname.split('/').slice(2));
    response.writeHead(204).end();
    return;
  }
  const token = bearerOf(request.headers.authorization);
  const bot = botOfToken(world, token);
  if (pathname === registration && method === 'POST') {
    const [status, body] = identityHandlers.register({ world, request, ids: [], query, body: await readJson(request) });
    answerJson(response, status, body);
    return;
  }
  const file = filePath.exec(pathname);
  if (file !== null && (method === 'GET' || method === 'HEAD')) {
    if (bot === undefined && request.headers.authorization !== undefined) throw new Refusal('unauthorized');
    const answer = fileHandlers.readFile(world, String(file[1]).toLowerCase(), file[2], bot?.id, response);
    if (answer !== undefined) answerJson(response, 200, answer);
    return;
  }
  if (bot === undefined || token === undefined) throw new Refusal('unauthorized', { 'WWW-authenticate': 'Bearer' });
  if (file !== null) throw new Refusal('wrong_method', { Allow: 'GET, HEAD' });
  const { route: found, ids } = find(method, pathname);
  if (method !== 'GET' && !pathname.endsWith('/quote'))
    enforceRateLimit(world, `writes ${bot.id}`, world.numbers.writes, 60, 'write_limited');
  const body = found.body === 'json' ? await readJson(request) : {};
  // The token may have been revoked while the body arrived.
  if (botOfToken(world, token) === undefined) throw new Refusal('unauthorized');
  const [status, answer] = await found.work({ world, request, ids, query, bot, token, body });
  answerJson(response, status, answer);
}

export async function startMapsServer(numbers: ServerLimits) {
  const world = new ServerState(numbers);
  const http = createServer({ keepAliveTimeout: 400 }, (request, response) => {
    response.setHeader('dAtE', new Date(currentTimeOf(world)).toUTCString());
    handle(world, request, response).catch((error: unknown) => {
      const refusal = error instanceof Refusal ? error : undefined;
      if (response.headersSent) {
        response.destroy();
        return;
      }
      response.shouldKeepAlive = false;
      const { status, code, message, headers } = refusal ?? {
        status: 500,
        code: 'defect',
        message: String(error),
        headers: {},
      };
      answerJson(response, status, { error: { code, message, lang: 'en' }, at: request.url?.split('?')[0] }, headers);
    });
  });
  http.on('upgrade', serveStream(world));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    async close(): Promise<void> {
      for (const open of world.connections.values()) for (const { socket } of open) socket.terminate();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
