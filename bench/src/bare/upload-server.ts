import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fastify } from 'fastify';
import { Pool } from 'pg';
import { makePreview } from '../scenarios/make-preview.ts';

// The minimum work to store an upload: receive and hash a file, create its preview, sync both to disk, and commit a
// row. It has no form, token or limits, does not check the file's structure, and processes the picture in the server
// process.
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 2 });
await pool.query('create table if not exists least_uploads (sha256 text, bytes bigint, preview_sha256 text)');
const folder = process.cwd();
const app = fastify({ bodyLimit: 64 * 1024 * 1024 });
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', (_request, _payload, done) => done(null));

async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.sync().finally(() => handle.close());
}

let number = 0;
app.post('/', async ({ raw }, reply) => {
  number += 1;
  const [file, preview] = [join(folder, `original-${number}`), join(folder, `preview-${number}`)];
  const hash = createHash('sha256');
  let bytes = 0;
  raw.on('data', (chunk: Buffer) => {
    hash.update(chunk);
    bytes += chunk.length;
  });
  await pipeline(raw, createWriteStream(file));
  const [jpeg] = await Promise.all([makePreview(file), sync(file)]);
  await writeFile(preview, jpeg);
  await sync(preview);
  const values = [hash.digest('hex'), bytes, createHash('sha256').update(jpeg).digest('hex')];
  await pool.query({ name: 'upload', text: 'insert into least_uploads values ($1, $2, $3)', values });
  return await reply.code(201).send({ bytes });
});

const url = await app.listen({ host: process.env['HOST'] ?? '127.0.0.1', port: Number(process.env['PORT'] ?? 0) });
process.stdout.write(`${JSON.stringify({ msg: 'ready', url })}\n`);
