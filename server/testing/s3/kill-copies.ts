import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServerProcess } from '../../../testing/src/server-process.ts';
import { makePng, pngChunk } from '../files/image-maker.ts';
import { register } from '../installation.ts';
import { runOperatorProcess } from '../processes/operator-process.ts';
import { uploadFile } from '../scenarios/upload.ts';
import { s3ServerName, startS3 } from './s3-server.ts';

// Kills "storage copy" at times spread over its length, to a bucket and back, and serves every file after each move:
//
//   S3_TEST_SERVER=swift node server/testing/s3/kill-copies.ts <kills>

const [kills = '10'] = process.argv.slice(2);
const say = (text: string) => process.stdout.write(`${text}\n`);
const folder = mkdtempSync(join(tmpdir(), 'kill-copies-'));
const s3 = await startS3();
const { PLATFORM_STORAGE_URL: bucketUrl, ...access } = s3.env();
const settings: Record<string, string> = { ...access, PLATFORM_DATA_DIR: folder, PLATFORM_WRITES_PER_MINUTE: '0' };

const copy = (words: readonly string[], killAfterMs?: number) =>
  runOperatorProcess(settings, ['storage', 'copy', ...words], { killAfterMs });

let server = await startServerProcess(settings);
const { token } = await register(server.url, 'alice');
const ids: string[] = [];
for (let number = 0; number < 60; number += 1) {
  const file = makePng(10, 10, [pngChunk('prVt', randomBytes(1_000_000))]);
  const { body } = await uploadFile(server.url, token, { file, purpose: 'order' });
  ids.push(String(body['attachment']?.['id']));
}
await server.end('SIGTERM');

for (const target of [bucketUrl, `file://${folder}/second`]) {
  // How long a whole copy takes, to another place.
  const other = target.startsWith('s3:') ? `${bucketUrl}-spare` : `file://${folder}/spare`;
  const whole = await copy([other]);
  if (whole.code !== 0) throw new Error(whole.out + whole.err);
  say(`${target}: a whole copy takes ${(whole.ms / 1_000).toFixed(1)} s`);
  for (let number = 1; number <= Number(kills); number += 1)
    await copy([target, ...(number % 2 === 0 ? ['--finish'] : [])], 0.9 * whole.ms * (number / Number(kills)));
  const last = await copy([target, '--finish']);
  say(`the last run: ${last.out.trim().replaceAll(/\s+/g, ' ')}`);
  settings['PLATFORM_STORAGE_URL'] = target;
  server = await startServerProcess(settings);
  for (const id of ids) {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${server.url}/api/v1/attachments/${id}/download`, { headers });
    if (answer.status !== 200 || (await answer.arrayBuffer()).byteLength < 1_000_000) throw new Error(`${id} is lost`);
  }
  say(`all ${ids.length} files are served`);
  await server.end('SIGTERM');
}
say(s3ServerName);
await s3.remove();
rmSync(folder, { recursive: true, force: true });
