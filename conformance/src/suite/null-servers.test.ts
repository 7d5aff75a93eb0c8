import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonReply, refusal } from '../../testing/faults.ts';
import type { ProxiedReply, ProxiedRequest } from '../../testing/passing.ts';
import { startProxy, startReplyServer } from '../../testing/proxy.ts';
import { type ReferenceServer, startReferenceServer, unlimitedSettings } from '../../testing/reference-server.ts';
import { unpacedLimits } from '../context/budget/limits.ts';
import { runOptions } from '../context/options.ts';
import { judgeServer } from './suite.ts';

/** Servers that answer but store nothing. */
const nullServers: readonly (readonly [name: string, answer: (request: ProxiedRequest) => ProxiedReply])[] = [
  ['404 to everything', () => refusal(404, 'not_found')],
  ['404 without a body', () => ({ status: 404, headers: {}, body: '' })],
  ['200 {} to everything', () => jsonReply(200, {})],
  ['201 {} to everything', () => jsonReply(201, {})],
  ['401 to everything', () => refusal(401, 'unauthorized')],
  ['400 to everything', () => refusal(400, 'invalid_input')],
  ['500 to everything', () => jsonReply(500, { error: { code: 'internal_error', message: 'No.' } })],
  ['the request itself', ({ body }) => ({ status: 200, headers: { 'content-type': 'application/json' }, body })],
  [
    'the request as something new',
    ({ body }) => jsonReply(201, { bot: tryJson(body), token: 'a-token', token_expires_at: '' }),
  ],
];

let server: ReferenceServer;
let folder: string;

beforeAll(async () => {
  server = await startReferenceServer(unlimitedSettings);
  folder = mkdtempSync(join(tmpdir(), 'conformance-null-'));
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

describe('a server without state passes nothing when it answers', () => {
  it.each(nullServers)('%s', async (_name, answer) => {
    const nobody = await startReplyServer(answer);
    try {
      await expectNothing(nobody.url);
    } finally {
      await nobody.close();
    }
  });

  it('in the same way after a run in which it worked, with the pool of that run', async () => {
    const filled = join(folder, 'filled.json');
    let answer: ((request: ProxiedRequest) => ProxiedReply) | undefined;
    const turning = await startProxy(server.url, { onRequest: (request) => answer?.(request) ?? request });
    try {
      const good = await judgeServer(
        runOptions(turning.url, { agentsFile: filled, only: ['AP-REG', 'AP-CONTACT'], limits: unpacedLimits }),
      );
      expect(good.exitCode).toBe(0);
      for (const [name, turned] of nullServers) {
        const agentsFile = join(folder, `${name.replaceAll(/\W/g, '')}.json`);
        copyFileSync(filled, agentsFile);
        answer = turned;
        await expectNothing(turning.url, agentsFile);
      }
    } finally {
      await turning.close();
    }
  });
});

async function expectNothing(baseUrl: string, agentsFile?: string): Promise<void> {
  const report = await judgeServer(
    runOptions(baseUrl, { ...server.means, agentsFile, profiles: ['limits'], limits: unpacedLimits }),
  );
  const passed = report.requirements.filter(({ verdict }) => verdict === 'passed');
  expect(passed.map(({ requirement }) => requirement.id)).toEqual([]);
  expect(report.checks.filter(({ verdict }) => verdict === 'passed')).toEqual([]);
  expect(report.exitCode).toBe(1);
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
