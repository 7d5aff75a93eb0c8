import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReferenceServerForTests } from '../testing/expect-detected.ts';
import { refusal } from '../testing/faults.ts';
import type { Fault, ProxiedRequest } from '../testing/passing.ts';
import { startProxy, startReplyServer, toStreamUrl } from '../testing/proxy.ts';
import { runVerifyCommand } from './bundle/verify.ts';
import { runCommand } from './run-command.ts';

const server = startReferenceServerForTests();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-kinds-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

async function run(args: readonly string[], signal?: AbortSignal) {
  let out = '';
  let err = '';
  const output = { out: (text: string) => (out += text), err: (text: string) => (err += text) };
  const exitCode = await runCommand([...args, '--no-pace'], { ...output, ...(signal && { signal }) });
  return { exitCode, out, err };
}

/** Runs the suite through a proxy that records every request. */
async function hear(args: readonly string[], more: Fault = {}, signal?: AbortSignal) {
  const heard: ProxiedRequest[] = [];
  const proxy = await startProxy(server().url, {
    ...more,
    onRequest: (request) => {
      heard.push(request);
      return more.onRequest?.(request) ?? request;
    },
  });
  try {
    return { heard, ...(await run(['--base-url', proxy.url, ...args], signal)) };
  } finally {
    await proxy.close();
  }
}

describe('an interrupted run', () => {
  it('reports its verdicts in every format and in a bundle that can be verified, and exits with 3', async () => {
    const interruption = new AbortController();
    let count = 0;
    const interrupting: Fault = {
      onRequest: (request) => {
        count += 1;
        if (count === 12) interruption.abort();
        return request;
      },
    };
    const kinds = ['html', 'markdown', 'json', 'junit'];
    const reports = [...kinds, 'bundle'].flatMap((kind) => ['--report', `${kind}=${join(folder, `cut.${kind}`)}`]);
    const { heard, exitCode, out } = await hear(
      ['--only', 'AP-REG,AP-ME', ...reports],
      interrupting,
      interruption.signal,
    );

    expect(exitCode).toBe(3);
    expect(heard.length).toBeLessThan(14);
    expect(out).toContain('Incomplete: the run was interrupted in step');
    for (const kind of kinds) expect(readFileSync(join(folder, `cut.${kind}`), 'utf8')).toContain('was interrupted in');
    const { requirements } = JSON.parse(readFileSync(join(folder, 'cut.json'), 'utf8'));
    const verdicts = new Set(requirements.map(({ verdict }: { verdict: string }) => verdict));
    expect(verdicts).toContain('passed');
    expect(verdicts).toContain('not tested');
    expect(await runVerifyCommand([join(folder, 'cut.bundle')], () => undefined)).toBe(0);
    expect(readdirSync(folder).filter((file) => file.endsWith('.part'))).toEqual([]);
  });

  it('leaves no report if it has judged nothing', async () => {
    const file = join(folder, 'none.json');
    writeFileSync(file, 'of an earlier run');
    const interruption = new AbortController();
    const silent = await startReplyServer(() => {
      interruption.abort();
      return new Promise(() => undefined);
    });
    const { exitCode, err } = await run(['--base-url', silent.url, '--report', `bundle=${file}`], interruption.signal);
    await silent.close();

    expect(exitCode).toBe(2);
    expect(err).toBe('The run was interrupted before its first check.\n');
    expect(existsSync(file)).toBe(false);
  });
});

describe('a wrong base URL', () => {
  it.each(['/api/v1', '/a/b', '/api/v1/bots/me'])(
    'with a superfluous path ends with a message that names the right one: %s',
    async (path) => {
      const { exitCode, err } = await run(['--base-url', `${server().url}${path}`]);

      expect(exitCode).toBe(2);
      expect(err).toContain(`use --base-url ${server().url}\n`);
    },
  );

  it('with a superfluous path causes a hint, even if every path requires a token', async () => {
    const strict = await startReplyServer(() => refusal(401, 'unauthorized'));
    const { exitCode, err } = await run(['--base-url', `${strict.url}/api/v1`]);
    const { out } = await run(['--base-url', strict.url, '--only', 'AP-ME']);
    await strict.close();

    expect([exitCode, err]).toEqual([2, expect.stringContaining(`use --base-url ${strict.url}\n`)]);
    expect(out).toMatch(/FAILED {2}AP-REG-001 .*Request +POST \/api\/v1\/bots\/register .*Answer +401 {"error"/s);
    expect(out).toContain(`No agent could be registered at ${strict.url}: check the address`);
    expect(out).toMatch(/NOT JUDGED {2}AP-ME-.*\n {2}because of AP-REG-001\n/);
  });

  it('with https instead of http causes a hint with the right URL', async () => {
    const { exitCode, err } = await run(['--base-url', server().url.replace('http:', 'https:')]);

    expect(exitCode).toBe(2);
    expect(err).toContain(`speaks plain HTTP: use --base-url ${server().url}\n`);
  });

  it('of a program that does not answer in HTTP is judged, with a note', async () => {
    const onReply: Fault['onReply'] = (answer) => ({ ...answer, raw: 'HTTP/1.1 OK\r\n\r\n' });
    const { exitCode, out } = await hear(['--only', 'AP-ME-001'], { onReply });

    expect([exitCode, out]).toEqual([1, expect.stringMatching(/FAILED {2}AP-REG-001 .*no answer in HTTP/s)]);
    expect(out).toContain('does not answer in HTTP');
  });

  it('of a website is judged, with a note', async () => {
    const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Welcome</h1>' };
    const website = await startReplyServer(() => page);
    const { exitCode, out, err } = await run(['--base-url', website.url, '--only', 'AP-TRANSPORT-002']);
    await website.close();

    expect(exitCode).not.toBe(0);
    for (const text of [out, err]) expect(text).toContain('it seems to be a website');
  });
});

describe('an answer to HEAD', () => {
  const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n';
  it.each([
    ['with a body fails the requirement of its operation', `${ok}{}`, 1, /FAILED {2}AP-FILE-019 .*no answer in HTTP/s],
    ['that never arrives fails no requirement', '', 3, /INCONCLUSIVE {2}AP-FILE-019\n/],
  ])('%s', async (_what, raw, code, says) => {
    const onReply: Fault['onReply'] = (answer, { method, path }) =>
      method === 'HEAD' && /\/attachments\/[\w-]+$/.test(path) ? { ...answer, raw } : answer;
    const { exitCode, out } = await hear(['--only', 'AP-FILE-019'], { onReply });

    expect(out).toMatch(says);
    expect(exitCode).toBe(code);
  });
});

describe('a read-only run', () => {
  it('sends no request that creates anything, and names what it could not judge', async () => {
    const pool = join(folder, 'read-only.json');
    const proxy = await startProxy(server().url, {});
    await run(['--base-url', proxy.url, '--agents', pool, '--only', 'AP-TOKEN-001']);
    await proxy.close();
    const text = readFileSync(pool, 'utf8').replace(proxy.url, 'BASE');
    const changes: string[] = [];
    const second = await startProxy(server().url, {
      onRequest: (request) => {
        if (request.method !== 'GET' && request.method !== 'HEAD') changes.push(`${request.method} ${request.path}`);
        return request;
      },
    });
    writeFileSync(pool, text.replace('BASE', second.url));
    const reading = ['--agents', pool, '--read-only', '--ws-url', toStreamUrl(second.url)];
    const { exitCode, out } = await run(['--base-url', second.url, ...reading]);
    await second.close();

    expect(changes.filter((change) => change !== 'POST /api/v1/orders/quote')).toEqual([]);
    // The exit code is 3 if a check of several requirements ended before it tested all of them.
    expect([0, 3]).toContain(exitCode);
    expect(out).toMatch(/NOT JUDGED {2}AP-[\s\S]*the run is read-only/);
    expect(out).toContain('Read-only:');
  });
});

describe('a selection', () => {
  it('by the name of an area contains only that area, and a note says so', async () => {
    const { out } = await run(['--list', '--only', 'AP-ME']);

    expect(out).toContain('--only AP-ME means AP-ME alone, not AP-MESSAGE.');
    expect(out).toContain('AP-ME-003');
    expect(out).not.toContain('AP-MESSAGE-0');
  });

  it('by the beginning of several area names is explained in a note', async () => {
    expect((await run(['--list', '--only', 'AP-M'])).out).toContain('--only AP-M means all of AP-ME, AP-MESSAGE.');
  });
});

describe('a seed', () => {
  /** The requests of a run. The server only registers agents and stores nothing, so all runs get the same answers. */
  const requestsOf = async (seed: string) => {
    const requests: string[] = [];
    const generous = await startReplyServer(({ method, path, body }) => {
      // The keys are new in each run.
      requests.push(`${method} ${path} ${body.replace(/("encryption_public_key":)"[^"]*"/, '$1""')}`);
      if (method !== 'POST') return { status: 418, headers: {}, body: '' };
      const bot = { id: `id-${requests.length}`, ...JSON.parse(body) };
      const headers = { 'content-type': 'application/json' };
      return { status: 201, headers, body: JSON.stringify({ bot, token: `token-${requests.length}` }) };
    });
    const { out } = await run(['--base-url', generous.url, '--only', 'AP-REG', '--seed', seed, '--shuffle']);
    await generous.close();
    expect(out).toContain(`seed ${seed}, shuffled`);
    return requests;
  };

  it('produces the same requests in the same order', async () => {
    const first = await requestsOf('7');
    expect(first.length).toBeGreaterThan(5);
    expect(await requestsOf('7')).toEqual(first);

    const other = await requestsOf('11');
    // Registrations without a handle contain nothing random.
    const bodies = first.filter((request) => request.startsWith('POST') && request.includes('"handle"'));
    expect(other.filter((request) => bodies.includes(request))).toEqual([]);
    // The length of a case's handle does not depend on the seed, so the lengths show the order of the cases.
    const lengths = (requests: readonly string[]) => requests.map(({ length }) => length);
    expect(lengths(other)).not.toEqual(lengths(first));
  });

  it('that was used before causes no failures', async () => {
    const args = ['--only', 'AP-REG-001', '--seed', '4711'];
    expect((await hear(args)).exitCode).toBe(0);
    const { exitCode, out } = await hear(args);
    expect(exitCode).toBe(3);
    expect(out).toContain('an earlier run has registered the handles of seed 4711');
  });
});

describe('a configuration', () => {
  it('is written for a server and can be read again', async () => {
    const file = join(folder, 'conformance.conf');
    const { exitCode } = await run(['--base-url', server().url, '--init', file]);
    const text = readFileSync(file, 'utf8');

    expect(exitCode).toBe(0);
    expect(text).toContain(`base-url = ${server().url}\nws-url = ws://`);
    expect(text).toMatch(/# {3}AsyncAPI: x-limits frameMaxBytes \d+/);
    expect(text).toContain('# grant-command = CMD {bot_id} {amount_minor}');
    expect((await run(['--base-url', server().url, '--init', file])).err).toContain('cannot be written');

    writeFileSync(file, `${text}report = junit=configured.xml\n`);
    const { out } = await run(['--config', file, '--only', 'AP-TOKEN-001']);
    expect(out).toContain('1 passed, 0 failed');
    // The paths are relative to the configuration file, not to the working directory.
    for (const name of ['pool.json', 'configured.xml'])
      expect(readFileSync(join(folder, name), 'utf8')).toContain(server().url);
  });

  it.each([
    ['unheard-of = 1', 'line 1: "unheard-of" is not an option'],
    ['\nstrict = yes', 'line 2: strict takes true or false'],
    ['base-url', 'write base-url = VALUE'],
  ])('is refused: %j', async (text, message) => {
    const file = join(folder, 'wrong.conf');
    writeFileSync(file, text);
    expect((await run(['--config', file])).err).toContain(message);
  });
});
