import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeSelectedReplies, codeIn, jsonReply } from '../../testing/faults.ts';
import { partOf } from '../../testing/forms.ts';
import type { Fault } from '../../testing/passing.ts';
import { startProxy, startReplyServer } from '../../testing/proxy.ts';
import { type ReferenceServer, startReferenceServer, unlimitedSettings } from '../../testing/reference-server.ts';
import { unpacedLimits } from '../context/budget/limits.ts';
import { runOptions } from '../context/options.ts';
import { openPool, type PoolAgent } from '../context/pool/pool.ts';
import { runCommand } from '../run-command.ts';
import { judgeServer } from './suite.ts';

let server: ReferenceServer;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-outcomes-'));
  server = await startReferenceServer(unlimitedSettings);
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

async function run(fault: Fault, ...args: readonly string[]) {
  let out = '';
  let err = '';
  const output = { out: (text: string) => (out += text), err: (text: string) => (err += text) };
  const proxy = await startProxy(server.url, fault);
  const exitCode = await runCommand(['--base-url', proxy.url, ...args], output);
  await proxy.close();
  return { exitCode, out, err };
}

/** A server that accepts bios of any length. */
const longBios: Fault = {
  onReply: (answer, { method, path, body }) =>
    method === 'PATCH' && path.endsWith('/me') && body.includes('"bio"') && answer.status === 400
      ? { ...answer, status: 200 }
      : answer,
};

it('concludes nothing from a temporarily unavailable server', async () => {
  const overloaded: Fault = {
    onRequest: (request) =>
      request.method === 'PATCH' ? { status: 503, headers: { 'retry-after': '2' }, body: '' } : request,
  };
  const { exitCode, out } = await run(overloaded, '--no-pace', '--only', 'AP-ME-006');

  expect(exitCode).toBe(3);
  expect(out).toContain('temporarily unavailable (503)');
});

it('fails one requirement if all errors have another format, and names it for the dependent requirements', async () => {
  const flat = changeSelectedReplies(
    ({ status }) => status >= 400,
    (answer) => jsonReply(answer.status, { error: codeIn(answer) }),
  );
  const { out } = await run(flat, '--no-pace', '--only', 'AP-ERR-00,AP-CONTACT-012,AP-ORDER-05,AP-FILE-002');

  expect(out.match(/^FAILED {2}[\w-]+/gm)).toEqual(['FAILED  AP-ERR-001']);
  expect(out).toMatch(/Check .* and \d+ more checks; because of it \d+ requirements not judged\n/);
  expect(out).not.toContain('not reached in this run');
});

it('stores no agent whose id is not a UUID, because the id would become part of commands', async () => {
  const agentsFile = join(folder, 'ids.json');
  const commands = changeSelectedReplies(
    (_, { path }) => path.endsWith('/register'),
    (answer) => ({ ...answer, body: answer.body.replace(/"id":"[^"]+"/, '"id":"$(id)"') }),
  );
  const { out } = await run(commands, '--no-pace', '--only', 'AP-REG-001,AP-ME-006', '--agents', agentsFile);

  expect(out).toContain('"id" is not a UUID');
  expect(JSON.parse(readFileSync(agentsFile, 'utf8')).agent).toBeUndefined();
});

describe('a baseline', () => {
  const baseline = (text: string) => {
    const file = join(folder, 'baseline.txt');
    writeFileSync(file, text);
    return ['--baseline', file, '--no-pace', '--only', 'AP-ME-005,AP-ME-006'];
  };

  it('accepts the failures that it expects, and reports them', async () => {
    const { exitCode, out } = await run(longBios, ...baseline('AP-ME-006 bios are not limited yet\n'));

    expect(exitCode).toBe(0);
    expect(out).toContain('EXPECTED  AP-ME-006');
    expect(out).toContain('1 passed, 0 failed, 1 failed as expected');
    expect(out).toContain('All failures are expected by the baseline.');
  });

  it('fails a run in which an expected failure no longer occurs', async () => {
    const { exitCode, out } = await run({}, ...baseline('AP-ME-006 bios are not limited yet\n'));

    expect(exitCode).toBe(1);
    expect(out).toContain('STALE  AP-ME-006');
    expect(out).toContain('the baseline lists requirements that pass');
  });

  it('accepts no other failures', async () => {
    const { exitCode, out } = await run(longBios, ...baseline('AP-ME-005 another one\n'));

    expect(exitCode).toBe(1);
    expect(out).toContain('FAILED  AP-ME-006');
  });

  it('that is invalid ends the run before it starts', async () => {
    const { exitCode, err } = await run({}, ...baseline('AP-ME-999 x\n'));

    expect(exitCode).toBe(2);
    expect(err).toContain('AP-ME-999 is not a requirement');
  });
});

describe('a limit that is hit', () => {
  const limited = (times: number): Fault => {
    let left = times;
    return {
      onRequest: (request) => {
        if (request.method !== 'PATCH' || left <= 0) return request;
        left -= 1;
        const answer = jsonReply(429, { error: { code: 'write_limited', message: 'Slowly.' } });
        return { ...answer, headers: { ...answer.headers, 'retry-after': '0' } };
      },
    };
  };

  it('causes one wait, which is reported', async () => {
    const { exitCode, out } = await run(limited(1), '--no-pace', '--only', 'AP-ME-006');

    expect(exitCode).toBe(0);
    expect(out).toContain('1 answer with an unexpected 429');
  });

  it('by concurrent uploads causes a wait, although the upload_id is used up', async () => {
    const refused = new Set<string>();
    const busy: Fault = {
      onRequest: (request) => {
        const id = request.path.endsWith('/attachments') ? partOf(request, 'upload_id') : undefined;
        if (id === undefined || (refused.size > 0 && !refused.has(id))) return request;
        const isFirst = !refused.has(id);
        refused.add(id);
        if (!isFirst) return jsonReply(409, { error: { code: 'upload_unavailable', message: 'It was refused.' } });
        const answer = jsonReply(429, { error: { code: 'upload_busy', message: 'Two files are checked.' } });
        return { ...answer, headers: { ...answer.headers, 'retry-after': '0' } };
      },
    };
    const { exitCode, out } = await run(busy, '--no-pace', '--only', 'AP-FILE-020');

    expect(out).not.toContain('FAILED');
    expect(exitCode).toBe(0);
    expect(refused.size).toBe(1);
  });

  it('permanently is an error of the suite and not a failure of the server', async () => {
    const { exitCode, out } = await run(limited(1_000), '--no-pace', '--only', 'AP-ME-006');

    expect(exitCode).toBe(2);
    expect(out).toContain('ERROR  AP-ME-006');
    expect(out).toContain('the run exceeded a limit');
    expect(out).not.toContain('FAILED');
  });
});

describe('an agent of the pool whose token has expired', () => {
  it('is replaced; if it is the first agent, everything that was judged with it is replaced, too', async () => {
    const agentsFile = join(folder, 'lost.json');
    const pool = () => openPool(agentsFile, server.url);
    const judge = async (id: string) => {
      const said: string[] = [];
      const watch = { log: (line: string) => said.push(line), step: () => undefined, wait: () => undefined };
      const { spent } = await judgeServer(
        runOptions(server.url, { agentsFile, only: [id], limits: unpacedLimits }),
        watch,
      );
      return { said: said.join('\n'), registrations: spent.registrations };
    };
    // This check makes the shared agents friends.
    const before = await judge('AP-MESSAGE-001');
    const [kept, partner] = pool().agents();
    if (kept === undefined || partner === undefined) throw new Error('Two agents stay.');

    await revoke(partner);
    const second = await judge('AP-MESSAGE-001');
    expect(second.said).toContain(`no longer knows the agent ${partner.handle}`);
    expect(pool().agent()?.id).toBe(kept.id);
    expect(pool().agent('partner')?.id).not.toBe(partner.id);
    expect(second.registrations).toBe(before.registrations - 1);

    await revoke(kept);
    const third = await judge('AP-MESSAGE-001');
    expect(third.said).toContain(`no longer knows the agent ${kept.handle}`);
    expect(third.registrations).toBe(before.registrations);
  });

  const revoke = async ({ token }: PoolAgent) => {
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${server.url}/api/v1/tokens/revoke`, { method: 'POST', headers })).status).toBe(200);
  };
});

describe('the plan', () => {
  it('is printed without a request', async () => {
    let asked = 0;
    const nobody = await startReplyServer(() => {
      asked += 1;
      return jsonReply(500, {});
    });
    let out = '';
    const output = { out: (text: string) => (out += text), err: (text: string) => (out += text) };
    const exitCode = await runCommand(['--base-url', nobody.url, '--plan'], output);
    await nobody.close();

    expect(exitCode).toBe(0);
    expect(asked).toBe(0);
    expect(out).toMatch(/at most 9 registrations, \d+ writes/);
    expect(out).toContain('per minute at most 100 writes of one agent, 8 contact requests, 50 messages');
  });

  it('that exceeds a limit is not executed', async () => {
    let asked = 0;
    const counting: Fault = {
      onRequest: (request) => {
        asked += 1;
        return request;
      },
    };
    const { exitCode, err } = await run(counting, '--writes-per-minute', '5', '--max-minutes', '30');

    expect(exitCode).toBe(2);
    expect(err).toContain('The plan exceeds its limits: it takes up to');
    // The only request was the one that checks whether the server responds.
    expect(asked).toBe(1);
  });

  it('is in the report, with the actual numbers', async () => {
    const file = join(folder, 'plan.json');
    await run({}, '--no-pace', '--only', 'AP-ME-006', '--report', `json=${file}`);

    const { plan, spent } = JSON.parse(readFileSync(file, 'utf8'));
    expect(plan).toMatchObject({
      checks: 1,
      observations: 0,
      minutes: 0,
      cost: { writes: 3, uploads: 0 },
      missing: [],
    });
    expect(spent).toMatchObject({ registrations: 1, writes: 3, unplanned_429: 0 });
  });
});
