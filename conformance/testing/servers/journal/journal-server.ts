import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerLimits } from '../limits.ts';
import {
  changeOwn,
  registerAgent,
  replaceToken,
  revokeToken,
  searchAgents,
  suspendAgent,
  tellOwn,
  tellProfile,
} from './agents.ts';
import { findFile, takeUpload } from './attachments.ts';
import { Channel } from './channel.ts';
import { Journal } from './journal.ts';
import { addPost, changePost, deletePost, listPosts, readPost } from './publications.ts';
import { type Asked, objectOf, readBody, refuse, reply, type Told } from './serve.ts';
import { Denied } from './shape.ts';
import { acceptContact, askContact, blockContact, listContacts, listMessages, sendMessage } from './talks.ts';
import { commandOrder, createOffer, listOrders, quotePrice, tellOrder } from './trades.ts';
import { bookLines, tellHistory, tellWallet } from './wallets.ts';

type Work = (asked: Asked) => Told;

const table: Readonly<Record<string, Readonly<Record<string, Work>>>> = {
  'bots/register': { POST: registerAgent },
  'bots/me': { GET: tellOwn, PATCH: changeOwn },
  'tokens/rotate': { POST: replaceToken },
  'tokens/revoke': { POST: revokeToken },
  bots: { GET: searchAgents },
  'bots/:': { GET: tellProfile },
  posts: { GET: listPosts, POST: addPost },
  'posts/:': { GET: readPost, PATCH: changePost, DELETE: deletePost },
  'contacts/requests': { POST: askContact },
  contacts: { GET: listContacts },
  'contacts/:/accept': { POST: acceptContact },
  'contacts/:/block': { POST: blockContact },
  messages: { GET: listMessages, POST: sendMessage },
  attachments: { POST: takeUpload },
  'attachments/:': {},
  'attachments/:/preview': {},
  'attachments/:/download': {},
  wallet: { GET: tellWallet },
  'wallet/history': { GET: tellHistory },
  'orders/quote': { POST: quotePrice },
  orders: { GET: listOrders, POST: createOffer },
  'orders/:': { GET: tellOrder },
  'orders/:/:': { POST: commandOrder },
};

function find(path: string): { name: string; works: Readonly<Record<string, Work>>; ids: string[] } {
  const words = path.startsWith('/api/v1/') ? path.slice('/api/v1/'.length).split('/') : [];
  for (const [name, works] of Object.entries(table)) {
    const pattern = name.split('/');
    const fits =
      pattern.length === words.length &&
      pattern.every((word, at) => (word === ':' ? words[at] !== '' : word === words[at]));
    if (fits) return { name, works, ids: words.filter((_, at) => pattern[at] === ':') };
  }
  throw new Denied('not_found');
}

const withoutBody = ['tokens/rotate', 'tokens/revoke', 'posts/:'];
const windowMs = { writes: 60_000, contacts: 60_000, messages: 60_000, registrations: 3_600_000 };

/** The server: a journal, and answers that are worked out from it. */
class JournalServer {
  readonly journal = new Journal();
  readonly channel = new Channel(this.journal);
  readonly #limits: ServerLimits;

  constructor(limits: ServerLimits) {
    this.#limits = limits;
  }

  holder(header: string | undefined): { agent: string; token: string } | undefined {
    const token = /^Bearer ([^\s]+)$/i.exec(header ?? '')?.[1];
    const held = token === undefined ? undefined : this.journal.one('token', token);
    if (held === undefined || held.ended || held.ends <= this.journal.now()) return undefined;
    return { agent: held.bot, token: held.id };
  }

  /** Fixed windows: the count begins anew with each. */
  limit(name: keyof typeof windowMs, subject: string, code: string): void {
    if (this.#limits[name] === Number.POSITIVE_INFINITY) return;
    const window = Math.floor(this.journal.now() / windowMs[name]);
    const key = `${name} ${subject} ${window}`;
    const count = this.journal.all('attempt').filter((attempt) => attempt.subject === key).length;
    const next = new Date(Date.now() + (window + 1) * windowMs[name] - this.journal.now());
    if (count >= this.#limits[name]) throw new Denied(code, { 'retry-after': next.toUTCString() });
    this.journal.begin('attempt', { subject: key });
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://host');
    const { headers, method = '' } = request;
    if (pathname.endsWith('/')) {
      response.writeHead(308, { location: pathname.replace(/\/+$/, '') || '/nothing' }).end();
      return;
    }
    const { name, works, ids } = find(pathname);
    const reads = method === 'HEAD' ? 'GET' : method;
    const held = this.holder(headers.authorization);
    const host = headers.host ?? '';
    if (name.startsWith('attachments/')) {
      if (reads !== 'GET') throw new Denied('method', { allow: 'GET, HEAD' });
      if (held === undefined && headers.authorization !== undefined) throw new Denied('unauthorized');
      const file = findFile(this.journal, ids[0] ?? '', name.split('/')[2], held?.agent, host);
      if ('bytes' in file) response.writeHead(200, { 'content-type': file.type }).end(file.bytes);
      else reply(response, 200, file);
      return;
    }
    const work = works[reads];
    if (work === undefined) throw new Denied('method', { allow: Object.keys(works).join(', ') });
    const isRegistration = work === registerAgent;
    if (held === undefined && !isRegistration) throw new Denied('unauthorized');
    if (reads !== 'GET' && name !== 'orders/quote' && !isRegistration)
      this.limit('writes', held?.agent ?? '', 'write_limited');
    if (isRegistration) this.limit('registrations', request.socket.remoteAddress ?? '', 'registration_limited');
    const isUpload = work === takeUpload;
    const bytes = reads === 'GET' ? Buffer.alloc(0) : await readBody(request, isUpload ? 21 * 2 ** 20 : 65_536);
    const hasBody = reads !== 'GET' && !isUpload && !(withoutBody.includes(name) && reads !== 'PATCH');
    const body = hasBody ? objectOf(bytes, headers['content-type']) : {};
    if (!isRegistration && this.holder(headers.authorization) === undefined) throw new Denied('unauthorized');
    const { agent: me = '', token = '' } = held ?? {};
    const [status, told] = work({
      ...{ journal: this.journal, me, token, headers, query, ids, bytes, body, host },
      tell: (to, kind, payload, personal) => this.channel.tell(to, kind, payload, personal),
      limit: (subject) => this.limit(subject, me, 'rate_limited'),
      drop: (ended) => this.channel.drop(ended),
    });
    reply(response, status, told);
  }
}

/** Starts the server in this process. */
export async function startJournalServer(limits: ServerLimits) {
  const server = new JournalServer(limits);
  const { journal, channel } = server;
  const http = createServer({ keepAliveTimeout: 400 }, (request, response) => {
    server.answer(request, response).catch((error: unknown) => refuse(response, error));
  });
  http.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const held = server.holder(request.headers.authorization);
    channel.upgrade(request, socket, head, held?.agent, held?.token ?? '');
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    grant: (bot: string, amountMinor: number) =>
      bookLines(journal, 'grant', randomUUID().toUpperCase(), null, [bot.toUpperCase(), 'available', amountMinor]),
    suspend: (bot: string) => suspendAgent(journal, bot.toUpperCase()),
    advance: (seconds: number) => journal.advance(seconds),
    async close(): Promise<void> {
      channel.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
