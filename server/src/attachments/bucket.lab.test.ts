import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { type ServerProcess, startLoadAdjustedTimer, startServerProcess } from '@agent-platform/testing';
import { copyEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRealFile } from '../../testing/files/real-files.ts';
import {
  type Installation,
  type Instance,
  makeInstallation,
  makeInstallationsSharingDatabase,
  register,
} from '../../testing/installation.ts';
import { type S3Server, startS3 } from '../../testing/s3/s3-server.ts';
import { uploadFile } from '../../testing/scenarios/upload.ts';
import { startTcpProxy, type TcpProxy } from '../../testing/tcp-proxy.ts';
import { expectRefusal, sendRequest } from '../../testing/test-server.ts';
import { readSettings } from '../platform/settings/settings.ts';
import { openStorage } from './attachments-setup.ts';
import { removeFileBytes } from './file-retention-commands.ts';
import { compareStoredFiles } from './stored-file-queries.ts';

const photo = readRealFile('upright.jpg');
let s3: S3Server;
let proxy: TcpProxy;
const made: Installation[] = [];
const install = (env: Readonly<Record<string, string>>) => {
  const installation = makeInstallation(env);
  made.push(installation);
  return installation;
};
beforeAll(async () => {
  s3 = await startS3();
  proxy = await startTcpProxy(s3.endpoint);
});
afterAll(async () => {
  for (const installation of made) await installation.stop();
  await proxy.close();
  await s3.remove();
});

async function upload(url: string, token: string, uploadId: string = randomUUID()): Promise<string> {
  const answer = await uploadFile(url, token, { file: photo, uploadId });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return String(answer.body['attachment']?.['id']);
}

async function get(url: string, token: string, id: string, headers: object = {}, method = 'GET') {
  const answer = await fetch(`${url}/api/v1/attachments/${id}/download`, {
    method,
    headers: { ...headers, authorization: `Bearer ${token}` },
  });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
/** Returns the status of the readiness endpoint, and the storage state in its response. */
const readiness = async (url: string) => {
  const answer = await fetch(`${url}/health/ready`);
  return [answer.status, ((await answer.json()) as { storage?: string }).storage ?? 'ok'];
};

function environmentsBelow(pid: number): readonly string[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const stat = tryRead(`/proc/${name}/stat`);
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const isBelow = (id: number): boolean => {
    const parent = parents.get(id);
    return parent !== undefined && parent > 0 && (parent === pid || isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow).map((id) => tryRead(`/proc/${id}/environ`));
}

function tryRead(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

describe('a server with its files in a bucket', () => {
  let installation: Installation;
  let running: ServerProcess;
  let token: string;
  beforeAll(async () => {
    installation = install(s3.env(proxy.url));
    copyEmptyDatabase(installation.dataDir);
    running = await startServerProcess(installation.env);
    ({ token } = await register(running.url, 'alice'));
  });
  afterAll(async () => void (await running.end('SIGTERM')));

  it('serves whole files, ranges and 304 responses, and doctor finds all files', async () => {
    const { url } = running;
    const id = await upload(url, token);
    const whole = await get(url, token, id);
    expect([whole.status, digest(whole.bytes)]).toEqual([200, digest(photo)]);
    const part = await get(url, token, id, { range: 'bytes=10-19' });
    expect([part.status, part.bytes.equals(photo.subarray(10, 20))]).toEqual([206, true]);
    expect((await get(url, token, id, { 'if-none-match': whole.headers.get('etag') })).status).toBe(304);
    const head = await get(url, token, id, {}, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(photo.length)]);
    const { out } = await installation.operator('doctor');
    expect(out).toMatch(/^ok +storage +s3:\/\/agents\/tests\/\d+\/ responds after \d+ ms\.$/m);
    expect(out).toMatch(/^ok +files +s3:\/\/\S+ has all 2 file\(s\)/m);
  });

  it('returns 503 only for files while the bucket is unreachable, stays ready, and leaves nothing of unfinished uploads', async () => {
    const { url } = running;
    const id = await upload(url, token);
    const uploadId = randomUUID();
    proxy.cut();
    const [download, sent] = await Promise.all([
      get(url, token, id),
      uploadFile(url, token, { file: photo, uploadId }),
    ]);
    // Polls, because the response may be up to a second old.
    await expect.poll(() => readiness(url)).toEqual([200, 'unavailable']);
    const posted = await sendRequest(url, 'POST', '/api/v1/posts', { token, body: { text: 'x' } });
    const doctor = await installation.operator('doctor', '--json');
    proxy.thaw();

    expect(download.status).toBe(503);
    expect(JSON.parse(String(download.bytes))).toMatchObject({ error: { code: 'unavailable' } });
    expectRefusal(sent, 'unavailable');
    expect(posted.status).toBe(201);
    expect(doctor.exitCode).toBe(1);
    expect(JSON.stringify(doctor.json())).toMatch(/s3:\/\/\S+ does not respond: S3 GetObject in agents: \w+/);
    expect((await get(url, token, id)).status).toBe(200);
    await expect.poll(() => readiness(url)).toEqual([200, 'ok']);
    proxy.freeze();
    await expect.poll(() => readiness(url)).toEqual([200, 'unavailable']);
    const quietMs = startLoadAdjustedTimer();
    await readiness(url);
    expect(quietMs()).toBeLessThan(2_000);
    proxy.thaw();
    await expect.poll(() => readiness(url), { timeout: 10_000 }).toEqual([200, 'ok']);
    // The id of a failed upload remains usable.
    expect((await get(url, token, await upload(url, token, uploadId))).status).toBe(200);
    const usage = async () => (await installation.operator('agents', 'show', 'alice', '--json')).json();
    expect(await usage()).toMatchObject({ agent: { usage: { files: 3, uploads: 3 } } });
  });

  it('never shows its access keys: not in the log, in commands, or to the processes that it starts', async () => {
    const { keys } = s3;
    const environments = environmentsBelow(running.child.pid ?? 0);
    const shown = [await installation.operator('config'), await installation.operator('config', '--json')];
    const texts = [running.output(), ...environments, ...shown.map(({ out, err }) => out + err)];

    expect(environments.length).toBeGreaterThan(0);
    expect(shown[0]?.out).toMatch(/AWS_SECRET_ACCESS_KEY +\(hidden\)/);
    for (const text of texts) for (const secret of Object.values(keys)) expect(text).not.toContain(secret);
  });

  it('refuses a bucket that another installation uses', async () => {
    const { dataDir: _, env } = installation;
    const { PLATFORM_DATA_DIR: _folder, ...rest } = env;
    const other = install(rest);

    await expect(other.start()).rejects.toThrow(/s3:\/\/\S+ has the storage-id \S+ of another installation/);
    await expect.poll(() => readiness(running.url)).toEqual([200, 'ok']);
  });
});

/** Uploads while the bucket is unreachable, then stores the object like a delayed put; expects that it is removed. */
async function expectNothingLeft({ url, store }: Instance, token: string, storageUrl: string): Promise<void> {
  const readLeft = () =>
    store.read((reader) => reader.selectFrom('attachments').where('state', '=', 'abandoned').selectAll().execute());
  proxy.cut();
  expectRefusal(await uploadFile(url, token, { file: photo }), 'unavailable');
  proxy.thaw();
  const [left, ...more] = await readLeft();
  expect([Number(left?.reserved_bytes), left?.upload_id, more]).toEqual([0, left?.id, []]);
  const Key = `${storageUrl.slice('s3://agents/'.length)}/${left?.id}.original`;
  await s3.client.send(new PutObjectCommand({ Bucket: 'agents', Key, Body: photo }));
  const storage = openStorage(readSettings({ ...s3.env(), PLATFORM_STORAGE_URL: storageUrl }));
  expect(await compareStoredFiles(store, storage)).toEqual({ named: 4, missing: [], extra: [] });
  await removeFileBytes(store, storage, new Date());
  expect([await storage.has(`${left?.id}.original`), await readLeft()]).toEqual([false, []]);
}

describe('two servers on one database', () => {
  it('both serve the files of one bucket, and a backup restores lost files', async () => {
    const shared = await makeInstallationsSharingDatabase();
    const env = s3.env(proxy.url);
    const [one, other] = [shared.install(env), shared.install(env)];
    const [first, second] = [await one.start(), await other.start()];
    const { token } = await register(first.url, 'alice');
    const ids = [await upload(first.url, token), await upload(second.url, token)];
    for (const { url } of [second, first]) {
      for (const id of ids) expect(digest((await get(url, token, id)).bytes)).toBe(digest(photo));
    }
    await expectNothingLeft(first, token, env.PLATFORM_STORAGE_URL);

    const created = await one.operator('backup', 'create', '--json');
    expect(created.json()).toMatchObject({ files: 4, lost: [] });
    // Simulates a bucket that has lost everything except its id.
    const storage = openStorage(readSettings(one.env));
    for await (const key of storage.list()) await storage.remove(key);
    await first.stop();
    // The restore must detect that the second server, which has no event connection, uses the database.
    const unnoticed = await one.operator('backup', 'restore', 'newest', '--replace', '--json');
    expect(unnoticed.err).toContain('server_runs');
    await second.stop();
    const restoring = await one.operator('backup', 'restore', 'newest', '--replace');
    expect([restoring.exitCode, restoring.out]).toEqual([0, expect.stringContaining('the ledger is consistent')]);
    const again = await one.start();
    for (const id of ids) expect(digest((await get(again.url, token, id)).bytes)).toBe(digest(photo));
    await shared.remove();
  });
});

describe('files that move', () => {
  it('to a bucket and back are restored there from a backup', async () => {
    const { PLATFORM_STORAGE_URL: bucketUrl, ...access } = s3.env();
    const folder = install(access);
    const bucket = install({ ...folder.env, PLATFORM_STORAGE_URL: bucketUrl });
    const started = await folder.start();
    const { token } = await register(started.url, 'alice');
    const id = await upload(started.url, token);
    await started.stop();
    for (const [from, to] of [
      [folder, bucket],
      [bucket, folder],
    ] as const) {
      expect((await from.operator('backup', 'create')).exitCode).toBe(0);
      expect((await to.operator('backup', 'restore', 'newest', '--replace')).exitCode).toBe(0);
      const moved = await to.start();
      expect(digest((await get(moved.url, token, id)).bytes)).toBe(digest(photo));
      await moved.stop();
    }
  });
});
