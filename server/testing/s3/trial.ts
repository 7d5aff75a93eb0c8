import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startServerProcess } from '../../../testing/src/server-process.ts';
import { makeS3Storage } from '../../src/files/s3/s3-storage.ts';
import { makePng, makePngChunk } from '../files/image-maker.ts';
import { register } from '../installation.ts';
import { uploadFile } from '../scenarios/upload.ts';
import { s3ServerName, startS3 } from './s3-server.ts';

// Tests a server with files in a bucket: memory use, a bucket that stops responding, and kills during writes to it.
// S3_TEST_SERVER=swift node server/testing/s3/trial.ts <kills>

const [kills = '20'] = process.argv.slice(2);
const say = (text: string) => process.stdout.write(`${text}\n`);
const mebibyte = 1024 * 1024;
const large = makePng(10, 10, [makePngChunk('prVt', randomBytes(20 * mebibyte - 1_000))]);

const folder = mkdtempSync(join(tmpdir(), 's3-trial-'));
const s3 = await startS3();
const env = s3.env();
const prefix = env.PLATFORM_STORAGE_URL.slice('s3://agents/'.length);
const settings = {
  ...env,
  PLATFORM_DATA_DIR: folder,
  PLATFORM_AGENT_FILES: '0',
  PLATFORM_AGENT_FILE_BYTES: '0',
  PLATFORM_WRITES_PER_MINUTE: '0',
  PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '0',
};
let server = await startServerProcess(settings);
const { token } = await register(server.url, 'alice');
const download = (id: string) =>
  fetch(`${server.url}/api/v1/attachments/${id}/download`, { headers: { authorization: `Bearer ${token}` } });
const readKiB = (name: string) =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))?.[1]);
const timed = async <T>(work: Promise<T>) => {
  const startedMs = performance.now();
  const value = await work;
  return { value, seconds: ((performance.now() - startedMs) / 1_000).toFixed(1) };
};

say(`${s3ServerName}, a file of ${(large.length / mebibyte).toFixed(1)} MiB`);
const first = await timed(uploadFile(server.url, token, { file: large, purpose: 'order' }));
const id = String(first.value.body['attachment']?.['id']);
say(`upload: ${first.value.status} after ${first.seconds} s`);
for (let round = 0; round < 3; round += 1) await (await download(id)).arrayBuffer();
const beforeKiB = readKiB('VmRSS');
for (let round = 0; round < 20; round += 1) await (await download(id)).arrayBuffer();
say(`20 downloads, one after the other: ${((readKiB('VmRSS') - beforeKiB) / 1024).toFixed(0)} MiB more`);
// The clients of these downloads do not read the body.
const slow = await Promise.all(Array.from({ length: 20 }, () => download(id)));
await wait(2_000);
say(`20 concurrent slow downloads: ${((readKiB('VmRSS') - beforeKiB) / 1024).toFixed(0)} MiB more than before`);
const connections = async () => {
  const rows = readFileSync(`/proc/${server.child.pid}/net/tcp`, 'utf8').split('\n');
  const port = Number(new URL(s3.endpoint).port).toString(16).toUpperCase().padStart(4, '0');
  return rows.filter((row) => row.includes(` 0100007F:${port} 01 `)).length;
};
const open = await connections();
for (const answer of slow) await answer.body?.cancel();
await wait(1_000);
say(`connections to the bucket: ${open}, after the clients have disconnected: ${await connections()}`);
for (let round = 0; round < 4; round += 1) {
  const uploads = Array.from({ length: 2 }, () => uploadFile(server.url, token, { file: large, purpose: 'order' }));
  await Promise.all(uploads);
}
say(`peak memory after 8 uploads: ${(readKiB('VmHWM') / 1024).toFixed(0)} MiB`);

s3.freeze();
const frozen = await Promise.all([
  timed(download(id).then(({ status }) => status)),
  timed(uploadFile(server.url, token, { file: large, purpose: 'order' }).then(({ status }) => status)),
  timed(fetch(`${server.url}/health/ready`).then(({ status }) => status)),
  timed(fetch(`${server.url}/health/live`).then(({ status }) => status)),
]);
for (const [index, name] of ['download', 'upload', 'ready', 'live'].entries())
  say(`frozen, ${name}: ${frozen[index]?.value} after ${frozen[index]?.seconds} s`);
s3.thaw();
const back = await timed(download(id).then((answer) => answer.arrayBuffer()));
say(`back: ${back.value.byteLength} bytes after ${back.seconds} s`);
const begun = await download(id);
s3.freeze();
const cut = await timed(begun.arrayBuffer().then(String, (error: unknown) => `ended with ${String(error)}`));
s3.thaw();
say(`frozen in the middle of a download: ${cut.value} after ${cut.seconds} s`);

const storage = makeS3Storage({ ...s3.place(), prefix: `${prefix}/` });
const keys = async () => {
  const found: string[] = [];
  for await (const key of storage.list()) found.push(key);
  return found;
};
const outcomes: Record<string, number> = {};
const count = (name: string) => {
  outcomes[name] = (outcomes[name] ?? 0) + 1;
};
const usual = await timed(uploadFile(server.url, token, { file: large, purpose: 'order' }));
let stored = 10;
for (let number = 0; number < Number(kills); number += 1) {
  const uploadId = randomUUID();
  const sending = uploadFile(server.url, token, { file: large, purpose: 'order', uploadId }).catch(() => undefined);
  // Kills the server late in the upload, because it only writes to the bucket after checking the file.
  await wait(Number(usual.seconds) * 1_000 * (0.3 + (0.9 * number) / Number(kills)));
  await server.end('SIGKILL');
  const answer = await sending;
  server = await startServerProcess(settings);
  const again = await uploadFile(server.url, token, { file: large, purpose: 'order', uploadId });
  if (again.status === 200 || again.status === 201) stored += 1;
  count(`killed ${answer === undefined ? 'before' : 'after'} the answer: a repeat returns ${again.status}`);
}
say(`an upload takes ${usual.seconds} s`);
say(JSON.stringify(outcomes, null, 2));
await wait(2_000);
const found = await keys();
let bytes = 0;
for (const key of found)
  for await (const chunk of (await storage.open(key))?.stream ?? []) bytes += (chunk as Buffer).length;
const previews = found.filter((key) => key.endsWith('.preview')).length;
say(
  `${stored} files stored; the bucket has ${found.length - previews} originals and ${previews} previews, ${bytes} bytes`,
);
await server.end('SIGTERM');
await s3.remove();
rmSync(folder, { recursive: true, force: true });
