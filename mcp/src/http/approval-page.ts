import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { toVisibleJson, toVisibleLine } from '@agent-platform/cli-core/output/visible-text';
import type { StoredApproval, StoredApprovals } from '@agent-platform/sdk/approvals';

const host = '127.0.0.1';
const bodyMaxBytes = 200;
const gone = 'This page was used, or has expired.';
const style =
  ':root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}' +
  'p,pre{overflow-wrap:anywhere;white-space:pre-wrap}button{font:inherit;padding:.5rem 1.5rem;margin-right:1rem}';
const styleHash = createHash('sha256').update(style).digest('base64');
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'cache-control': 'no-store',
  // Without a referrer, browsers would not send this page's Origin with its form, and the server requires it.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  connection: 'close',
};

/**
 * Serves a page for each waiting act on a random port of the loopback interface; the first act starts the server. A
 * page's address contains a secret of 256 bits that is valid for one decision.
 */
export class ApprovalPageServer {
  readonly #approvals: StoredApprovals;
  readonly #agentId: string;
  readonly #addresses = new Map<string, string>();
  // The map's keys are hashes of the secrets, so that the duration of a lookup reveals nothing about the secrets.
  readonly #ids = new Map<string, string>();
  #server: Promise<Server> | undefined;

  constructor(approvals: StoredApprovals, agentId: string) {
    this.#approvals = approvals;
    this.#agentId = agentId;
  }

  /** Returns the address of an approval's page, which stays the same until the decision. */
  async addressOf(id: string): Promise<string> {
    this.#server ??= this.#listen();
    const known = this.#addresses.get(id);
    if (known !== undefined) return known;
    const secret = randomBytes(32).toString('base64url');
    const address = `http://${hostOf(await this.#server)}/${secret}`;
    this.#ids.set(digest(secret), id);
    this.#addresses.set(id, address);
    return address;
  }

  async close(): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    server?.close();
    server?.closeAllConnections();
  }

  #findWaiting(id: string | undefined): StoredApproval | undefined {
    try {
      const found = id === undefined ? undefined : this.#approvals.getOpen(this.#agentId, id);
      return found?.state === 'waiting' ? found : undefined;
    } catch {
      return undefined;
    }
  }

  async #listen(): Promise<Server> {
    const server = createServer((request, response) => {
      this.#answer(request, response, hostOf(server)).catch(() => response.destroy());
    });
    server.listen(0, host);
    await once(server, 'listening');
    return server;
  }

  async #answer(request: IncomingMessage, response: ServerResponse, own: string): Promise<void> {
    const { method, headers: sent } = request;
    const isOwnOrigin = sent.origin === `http://${own}` || (sent.origin === undefined && method === 'GET');
    if (sent.host !== own || !isOwnOrigin)
      return reply(response, 403, 'This page is only for a browser on this machine.');
    const secret = digest(request.url?.slice(1) ?? '');
    const approval = this.#findWaiting(this.#ids.get(secret));
    if (approval === undefined) return reply(response, 404, gone);
    if (method === 'GET') return reply(response, 200, 'Approve this act?', describe(approval));
    const decision = method === 'POST' ? decisions[await readDecision(request)] : undefined;
    if (decision === undefined) return reply(response, 400, 'Choose one of the two buttons.');
    // Of two concurrent answers, only the first one counts.
    if (!this.#ids.delete(secret)) return reply(response, 404, gone);
    this.#addresses.delete(approval.id);
    this.#approvals.decide(this.#agentId, approval.id, decision);
    reply(response, 200, `The act is ${decision}. You can close this page.`);
  }
}

const decisions: Readonly<Record<string, 'approved' | 'refused'>> = { approve: 'approved', refuse: 'refused' };

async function readDecision(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += String(chunk);
    if (body.length > bodyMaxBytes) return '';
  }
  return new URLSearchParams(body).get('decision') ?? '';
}

function describe(approval: StoredApproval): string {
  const { question, agent, tool, arguments: values, facts, expires_at } = approval;
  const exact = toVisibleJson({ agent, tool, arguments: values, bound: facts, expires_at }, 2);
  const buttons = Object.keys(decisions).map((name) => `<button name="decision" value="${name}">${name}</button>`);
  return `<p>${escapeHtml(toVisibleLine(question))}</p><pre>${escapeHtml(exact)}</pre><form method="post">${buttons.join(' ')}</form>`;
}

function reply(response: ServerResponse, status: number, title: string, content = ''): void {
  response.writeHead(status, headers);
  response.end(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style></head><body><main><h1>${title}</h1>${content}</main></body></html>`,
  );
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64');
}

function hostOf(server: Server): string {
  const address = server.address();
  return `${host}:${typeof address === 'object' && address !== null ? address.port : ''}`;
}
