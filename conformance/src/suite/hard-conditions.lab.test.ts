import { setTimeout as sleep } from 'node:timers/promises';
import { generateKeyPair } from '@agent-platform/sdk';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Fault, ProxiedRequest } from '../../testing/passing.ts';
import { startProxy } from '../../testing/proxy.ts';
import { type ReferenceServer, startReferenceServer, unlimitedSettings } from '../../testing/reference-server.ts';
import { unpacedLimits } from '../context/budget/limits.ts';
import { type RunOptions, runOptions } from '../context/options.ts';
import { judgeServer } from './suite.ts';

let server: ReferenceServer;

beforeAll(async () => {
  server = await startReferenceServer(unlimitedSettings);
});

afterAll(async () => {
  await server.stop();
});

async function judge(baseUrl: string, only: readonly string[], options: Partial<RunOptions> = {}) {
  const report = await judgeServer(runOptions(baseUrl, { ...server.means, only, limits: unpacedLimits, ...options }));
  const verdictOf = (id: string) => report.requirements.find(({ requirement }) => requirement.id === id)?.verdict;
  return { report, unmet: report.checks.filter(({ verdict }) => verdict !== 'passed'), verdictOf };
}

async function judgeThrough(fault: Fault, only: readonly string[], options?: Partial<RunOptions>) {
  const proxy = await startProxy(server.url, fault);
  onTestFinished(() => proxy.close());
  return await judge(proxy.url, only, options);
}

/** Answers every n-th of the matching requests with 503 or 408. */
function busy(every: number, isMeant: (request: ProxiedRequest) => boolean, status: 503 | 408 = 503): Fault {
  let count = 0;
  return {
    onRequest: (request) => {
      if (!isMeant(request)) return request;
      count += 1;
      return count % every === 0 ? { status, headers: { 'retry-after': '0' }, body: '' } : request;
    },
  };
}

describe('a server that is busy', () => {
  it('is judged by its later answers, if a repeat is safe', async () => {
    const isSafe = ({ method, path }: ProxiedRequest) => method === 'GET' || path.endsWith('/bots/me');
    const { unmet, report } = await judgeThrough(busy(3, isSafe), ['AP-ME-0', 'AP-SEARCH-00']);
    expect(unmet).toEqual([]);
    expect(report.exitCode).toBe(0);
  });

  it('is inconclusive if a repeat is not safe, with the exchange', async () => {
    const isPost = ({ method, path }: ProxiedRequest) => method === 'POST' && path.endsWith('/posts');
    const { report, verdictOf } = await judgeThrough(busy(1, isPost), ['AP-POST-003', 'AP-ME-001']);
    expect(verdictOf('AP-POST-003')).toBe('inconclusive');
    expect(verdictOf('AP-ME-001')).toBe('passed');
    expect(report.exitCode).toBe(3);
    const [finding] = report.checks.find(({ id }) => id === 'posts.text')?.findings ?? [];
    expect(finding).toMatchObject({ verdict: 'inconclusive', exchange: { path: '/api/v1/posts', status: 503 } });
  });
});

describe('a server that is occasionally slow', () => {
  it.each([
    ['a second ago', 1_000, 0],
    ['just now, and whose Date is late', 100, 1_000],
  ])('may refuse an offer whose deadline passed in transit: %s', async (_name, passedMs, dateLateMs) => {
    let count = 0;
    const lateDate = () => new Date(Date.now() - dateLateMs).toUTCString();
    const slow: Fault = {
      onReply: (reply) => ({ ...reply, headers: { ...reply.headers, date: lateDate() } }),
      delays: ({ method, path, body }) => {
        if (method !== 'POST' || !path.endsWith('/orders')) return [];
        const aheadMs = Date.parse(JSON.parse(body).deadline) - Date.now();
        if (aheadMs > 60_000) return [];
        count += 1;
        // Delays the first offer until its deadline has passed.
        return count === 1 ? [aheadMs + passedMs, 0] : [];
      },
    };
    const { unmet } = await judgeThrough(slow, ['AP-ORDER-010']);
    expect(unmet).toEqual([]);
    expect(count).toBe(2);
  });

  it('may take too long to answer a request that is safe to repeat', async () => {
    const isQuote = ({ path }: ProxiedRequest) => path.endsWith('/quote');
    const { unmet, report } = await judgeThrough(busy(2, isQuote, 408), ['AP-ORDER-001']);
    expect(unmet).toEqual([]);
    expect(report.exitCode).toBe(0);
  });
});

describe('a server that would block a run forever', () => {
  it('fails with a list that always has a next page', async () => {
    let first: string | undefined;
    const endless: Fault = {
      onReply: (reply, { method, path }) => {
        if (method !== 'GET' || !path.startsWith('/api/v1/messages?')) return reply;
        first ??= reply.body.includes('"ciphertext"') ? reply.body : undefined;
        return { ...reply, body: first ?? reply.body };
      },
    };
    const { verdictOf } = await judgeThrough(endless, ['AP-MESSAGE-008']);
    expect(['failed', 'not judged']).toContain(verdictOf('AP-MESSAGE-008'));
  });

  it('receives no more requests once the time limit of the run is reached', async () => {
    // This limit is shorter than any request takes, so only the first one is sent.
    const limits = { ...unpacedLimits, minutes: 1e-9 };
    const { report } = await judge(server.url, ['AP-ME-00'], { limits });
    expect(report.exitCode).toBe(3);
    for (const { verdict, reason } of report.checks) {
      expect(verdict).toBe('inconclusive');
      expect(reason).toContain('--max-minutes');
    }
  });
});

describe('an open world', () => {
  it('in which other agents publish continuously changes no verdict', async () => {
    let isOver = false;
    const traffic = publishUntil(() => isOver);
    const { unmet } = await judge(server.url, ['AP-POST', 'AP-SEARCH', 'AP-CARD']);
    isOver = true;
    expect(await traffic).toBeGreaterThan(20);
    expect(unmet.filter(({ verdict }) => verdict !== 'not judged')).toEqual([]);
  });
});

/** Registers an agent that publishes and deletes posts until `isOver`; returns how many it published. */
async function publishUntil(isOver: () => boolean): Promise<number> {
  const send = (path: string, token: string, json?: object, method = 'POST') =>
    fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: json === undefined ? null : JSON.stringify(json),
    });
  const { publicKey } = generateKeyPair();
  const body = { handle: 'busy_neighbour', display_name: 'Busy', profile_public: true };
  const registered = await send('/bots/register', 'none', { ...body, encryption_public_key: publicKey });
  const { token } = (await registered.json()) as { readonly token: string };
  let count = 0;
  for (; !isOver(); count += 1) {
    const post = { text: 'News.', visibility: 'public', rights_confirmed: true };
    const made = (await (await send('/posts', token, post)).json()) as { readonly post: { readonly id: string } };
    if (count % 3 === 0) await send(`/posts/${made.post.id}`, token, undefined, 'DELETE');
    await sleep(20);
  }
  return count;
}
