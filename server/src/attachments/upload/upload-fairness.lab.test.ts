import { execFileSync } from 'node:child_process';
import type { Socket } from 'node:net';
import { startLoadAdjustedTimer } from '@agent-platform/testing/quiet-time';
import { afterEach, describe, expect, it } from 'vitest';
import { makeSlowPdf } from '../../../testing/files/endless-pdf.ts';
import { readRealFile } from '../../../testing/files/real-files.ts';
import { beginUpload, formStartingWithFields, formStartingWithFile } from '../../../testing/scenarios/begin-upload.ts';
import { uploadFile } from '../../../testing/scenarios/upload.ts';
import { expectRefusal, openTestServer, type TestServer } from '../../../testing/test-server.ts';

const photo = readRealFile('upright.jpg');
let server: TestServer;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

function begin(token: string, body = formStartingWithFile, headers: readonly string[] = []): Promise<string> {
  const { socket, answered } = beginUpload(server.url, token, body, headers);
  sockets.push(socket);
  return answered;
}

const stateCount = async (state: string) => {
  const found = await server.store.read((reader) =>
    reader.selectFrom('attachments').where('state', '=', state).select('id').execute(),
  );
  return found.length;
};

/** Kills the inspectors, because on a busy machine each file would take a minute. */
function endInspectors(): void {
  const processes = execFileSync('ps', ['--ppid', String(process.pid), '-o', 'pid=,args='], { encoding: 'utf8' });
  const inspectors = processes.split('\n').filter((line) => line.includes('inspector'));
  for (const line of inspectors) process.kill(Number.parseInt(line, 10), 'SIGKILL');
}

/** Repeats the upload if a busy machine does not finish the check in time. */
async function uploadPatiently(token: string, quietMs: () => number): Promise<number> {
  for (;;) {
    const startedMs = performance.now();
    const { status } = await uploadFile(server.url, token, { file: photo });
    if (status !== 429 || quietMs() > 5_000) return status;
    // An upload may only be refused after it has waited for a check.
    expect(performance.now() - startedMs).toBeGreaterThan(4_000);
  }
}

describe('uploads that stop after their start', () => {
  it('are limited to four per agent, are replaced by other agents, and must send their fields within seconds', async () => {
    server = await openTestServer();
    const [ann, bob] = [await server.register('ann_'), await server.register('bob_')];
    const quietMs = startLoadAdjustedTimer();
    const answers = Array.from({ length: 6 }, () => begin(ann.token));

    // Ann uses all four slots of the address that she shares with Bob, so Bob's upload replaces one of hers.
    const { status } = await uploadFile(server.url, bob.token, { file: photo });
    expect(status).toBe(201);
    expect(quietMs()).toBeLessThan(5_000);

    const refusals = (await Promise.all(answers)).map((answer) => /"code":"(\w+)"/.exec(answer)?.[1] ?? answer);
    expect(new Set(refusals)).toEqual(new Set(['upload_busy', 'request_timeout']));
    expect(refusals.filter((code) => code === 'upload_busy').length).toBeGreaterThanOrEqual(1);
    expect(await Promise.all(answers)).toContainEqual(expect.stringMatching(/408 .*connection: close.*upload_id/is));
    expect((await uploadFile(server.url, ann.token, { file: photo })).status).toBe(201);
  });

  it('use the slots of the address that a proxy reports; an IPv6 network counts as one address', async () => {
    const ofAddress = { PLATFORM_TRUST_PROXY: '127.0.0.1', PLATFORM_ARRIVING_UPLOADS_PER_ADDRESS: '1' };
    server = await openTestServer(ofAddress);
    const [ann, bob] = [await server.register('ann_'), await server.register('bob_')];
    void begin(ann.token, formStartingWithFields(), ['x-forwarded-for: 2001:db8::1']);
    await expect.poll(() => stateCount('receiving')).toBe(1);
    const uploadFrom = (from: string) => uploadFile(server.url, bob.token, { file: photo, from });
    const [near, far] = await Promise.all([uploadFrom('2001:db8::2'), uploadFrom('192.0.2.1')]);

    expect(far.status).toBe(201);
    expectRefusal(near, 'upload_busy');
  });

  it('are limited to four per agent from many addresses, and to 64 in total', async () => {
    server = await openTestServer({ PLATFORM_ARRIVING_UPLOADS_PER_ADDRESS: '0' });
    const [ann, last, ...others] = await Promise.all(
      Array.from({ length: 65 }, (_, index) => server.register(`agent_${index}`)),
    );
    if (ann === undefined || last === undefined) throw new Error('No agent is registered.');
    const own = Array.from({ length: 5 }, () => begin(ann.token, formStartingWithFields()));
    expect(await Promise.race(own)).toContain('upload_busy');
    expect(await stateCount('receiving')).toBe(4);
    for (const socket of sockets.splice(0)) socket.destroy();
    await expect.poll(() => stateCount('receiving')).toBe(0);

    for (const { token } of [ann, ...others]) void begin(token, formStartingWithFields());
    await expect.poll(() => stateCount('receiving')).toBe(64);
    expectRefusal(await uploadFile(server.url, last.token, { file: photo }), 'upload_busy');
  });

  it('wait for a slot, so that ten concurrent ones are answered one after the other', async () => {
    server = await openTestServer();
    const { token } = await server.register('ann_');
    const quietMs = startLoadAdjustedTimer();
    const beganMs = performance.now();
    const upload = async () => {
      const startedMs = performance.now();
      const { status } = await uploadFile(server.url, token, { file: photo });
      return { status, tookMs: performance.now() - startedMs };
    };
    const answers = await Promise.all(Array.from({ length: 10 }, upload));

    const refused = answers.filter(({ status }) => status !== 201);
    // Fails if uploads without a slot are refused immediately. On a busy machine, all but the two that are being
    // checked may time out.
    const isBusy = performance.now() - beganMs > 2 * quietMs();
    expect(answers.length - refused.length).toBeGreaterThan(isBusy ? 1 : 4);
    for (const { status, tookMs } of refused) {
      expect(status).toBe(429);
      expect(tookMs).toBeGreaterThan(3_900);
      // Without competition, the refused upload gets a slot.
      expect((await upload()).status).toBe(201);
    }
  });
});

describe.each(['embedded', 'copied'])('an agent that takes all it can get, with the database %s', (database) => {
  it('keeps no other agent from uploading a picture within five seconds', async () => {
    server = await openTestServer({}, database);
    const [hostile, good] = [await server.register('hostile'), await server.register('good')];
    const file = makeSlowPdf();
    const slow = Array.from({ length: 3 }, () => uploadFile(server.url, hostile.token, { file, purpose: 'order' }));
    await expect.poll(() => stateCount('checking')).toBeGreaterThan(0);
    for (let count = 0; count < 64; count += 1) void begin(hostile.token);

    for (let picture = 0; picture < 3; picture += 1) {
      const quietMs = startLoadAdjustedTimer();
      expect(await uploadPatiently(good.token, quietMs)).toBe(201);
      expect(quietMs()).toBeLessThan(5_000);
    }
    const ending = setInterval(endInspectors, 200);
    await Promise.allSettled(slow);
    clearInterval(ending);
  });
});
