import { createHash, randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { gif, makeAnimatedPng, makePng } from '../../../testing/files/image-maker.ts';
import { makePdf } from '../../../testing/files/pdf-maker.ts';
import { readRealFile } from '../../../testing/files/real-files.ts';
import { beginUpload, formStartingWithFields } from '../../../testing/scenarios/begin-upload.ts';
import { sendRawForm, uploadFile } from '../../../testing/scenarios/upload.ts';
import { expectRefusal, type RegisteredAgent, useTestServer } from '../../../testing/test-server.ts';

const photo = readRealFile('upright.jpg');
const folder = makeTestFolder();
const server = useTestServer({ PLATFORM_DATA_DIR: folder, PLATFORM_FILE_BYTES: '300000' });
let alice: RegisteredAgent;
let agents = 0;
beforeEach(async () => {
  agents += 1;
  alice = await server().register(`agent_${agents}`);
});

async function usage(key: string) {
  const rows = await server().store.read((reader) =>
    reader.selectFrom('file_usage').where('key', '=', key).selectAll().execute(),
  );
  const { files, bytes, records } = rows[0] ?? { files: 0, bytes: 0, records: 0 };
  return { files, bytes: Number(bytes), records };
}

const upload = (parts: Parameters<typeof uploadFile>[2]) => uploadFile(server().url, alice.token, parts);
const filesIn = (...path: string[]) =>
  readdirSync(join(folder, 'files', ...path), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
const storedFiles = () => filesIn().filter(({ parentPath }) => !parentPath.includes('incoming')).length;

describe('an upload', () => {
  it('answers 201 with the record of the original', async () => {
    const answer = await upload({ file: photo, filename: 'my photo.jpg' });

    expect(answer.status).toBe(201);
    expect(answer.body['attachment']).toMatchObject({
      purpose: 'portfolio',
      media_type: 'image/jpeg',
      size_bytes: photo.length,
      width: 40,
      height: 80,
      page_count: null,
      available: true,
      filename: 'my photo.jpg',
    });
    expect(await usage(alice.id)).toMatchObject({ files: 1, records: 1 });
    const preview = await server().store.read((reader) =>
      reader.selectFrom('attachments').where('owner_id', '=', alice.id).select('preview_size_bytes').execute(),
    );
    expect((await usage(alice.id)).bytes).toBe(photo.length + Number(preview[0]?.preview_size_bytes));
  });

  it('keeps only the processed JPEG of an avatar', async () => {
    const before = storedFiles();
    const { body } = await upload({ file: readRealFile('16-bit.png'), purpose: 'avatar' });

    expect(body['attachment']).toMatchObject({ purpose: 'avatar', media_type: 'image/jpeg', width: 32, height: 32 });
    expect(body['attachment']).not.toHaveProperty('filename');
    expect(body['attachment']).not.toHaveProperty('sha256');
    expect(storedFiles()).toBe(before + 1);
    expect((await usage(alice.id)).bytes).toBe(Number(body['attachment']?.['size_bytes']));
  });

  it('accepts a PDF for an order but not for an avatar', async () => {
    const file = readRealFile('tcpdf.pdf');

    expect((await upload({ file, purpose: 'order' })).body['attachment']).toMatchObject({ width: null, page_count: 2 });
    expectRefusal(await upload({ file, purpose: 'avatar' }), 'invalid_file');
  });

  it('accepts a file name encoded as in RFC 5987, and names a file without one "file"', async () => {
    const form = (disposition: string) =>
      Buffer.concat([
        Buffer.from(`--line\r\ncontent-disposition: form-data; name="file"${disposition}\r\n\r\n`),
        photo,
        Buffer.from(
          `\r\n--line\r\ncontent-disposition: form-data; name="purpose"\r\n\r\norder\r\n--line\r\ncontent-disposition: form-data; name="upload_id"\r\n\r\n${randomUUID()}\r\n--line--\r\n`,
        ),
      ]);
    const encoded = await sendRawForm(server().url, alice.token, form(`; filename*=UTF-8''caf%C3%A9.jpg`));
    const unnamed = await sendRawForm(server().url, alice.token, form(''));

    expect(encoded.body['attachment']?.['filename']).toBe('café.jpg');
    expect(unnamed.body['attachment']?.['filename']).toBe('file');
  });
});

describe('a form that is not an upload', () => {
  const part = (name: string, value: string) =>
    `--line\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const id = randomUUID();
  const whole = part('file', 'x') + part('purpose', 'order') + part('upload_id', id);

  it.each([
    ['cut before its end', whole, 'invalid_input'],
    [
      'cut in the middle of the file',
      part('purpose', 'order') + part('upload_id', id) + part('file', 'x').slice(0, -2),
      'invalid_input',
    ],
    ['empty', '', 'invalid_input'],
    ['with a second file', `${part('file', 'y')}${whole}--line--\r\n`, 'invalid_input'],
    ['with a fourth part', `${whole}${part('title', 'y')}--line--\r\n`, 'invalid_input'],
    ['with a fourth part without a name', `${whole}--line\r\n\r\nx\r\n--line--\r\n`, 'invalid_input'],
    [
      'with an endless purpose',
      `${part('file', 'x')}${part('purpose', 'o'.repeat(9_999))}${part('upload_id', id)}--line--\r\n`,
      'invalid_input',
    ],
    ['without a file', `${part('purpose', 'order')}${part('upload_id', id)}--line--\r\n`, 'invalid_file'],
    [
      'with an empty file',
      `${part('file', '')}${part('purpose', 'order')}${part('upload_id', id)}--line--\r\n`,
      'invalid_file',
    ],
    ['without fields', '--line--\r\n', 'invalid_input'],
  ] as const)('is refused: %s', async (_what, body, code) => {
    expectRefusal(await sendRawForm(server().url, alice.token, body), code);
    expect(await usage(alice.id)).toEqual({ files: 0, bytes: 0, records: 0 });
  });

  it('is refused without a boundary, and with 415 if it is not a form', async () => {
    expectRefusal(await sendRawForm(server().url, alice.token, 'x', 'multipart/form-data'), 'invalid_input');
    for (const type of ['application/json', 'multipart/mixed; boundary=line', 'multipart/form-datax; boundary=line']) {
      expectRefusal(
        await sendRawForm(server().url, alice.token, `${whole}--line--\r\n`, type),
        'unsupported_media_type',
      );
    }
  });

  it('leaves the upload_id usable', async () => {
    const uploadId = randomUUID();
    expectRefusal(await upload({ uploadId, purpose: 'cover', file: photo }), 'invalid_input');
    expectRefusal(await upload({ uploadId }), 'invalid_file');

    expect((await upload({ uploadId, file: photo })).status).toBe(201);
  });
});

describe('a file that is too large', () => {
  it('is refused with 413 at the first excess byte, and its upload_id stays usable', async () => {
    const uploadId = randomUUID();
    const over = Buffer.concat([photo, Buffer.alloc(300_001 - photo.length)]);
    expectRefusal(await upload({ uploadId, file: over }), 'body_too_large');
    expectRefusal(await upload({ uploadId, file: Buffer.alloc(300_000) }), 'invalid_file');

    expect(await usage(alice.id)).toEqual({ files: 0, bytes: 0, records: 1 });
  });

  it('is refused with 413 for its announced length and for its actual length', async () => {
    const huge = Buffer.alloc(300_000 + 1_048_577);
    expectRefusal(await upload({ file: huge }), 'body_too_large');
    const chunks = new ReadableStream({
      start: (controller) => {
        for (let sent = 0; sent < 2_000_000; sent += 100_000) controller.enqueue(new Uint8Array(100_000));
        controller.close();
      },
    });
    const answer = await fetch(`${server().url}/api/v1/attachments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${alice.token}`, 'content-type': 'multipart/form-data; boundary=line' },
      body: chunks,
      duplex: 'half',
    } as RequestInit);

    expect(answer.status).toBe(413);
    expect(await usage(alice.id)).toEqual({ files: 0, bytes: 0, records: 0 });
  });
});

describe('a file that is refused for its content', () => {
  it.each([
    ['a GIF', gif],
    ['an animation', makeAnimatedPng()],
    ['a damaged picture', photo.subarray(0, 600)],
    ['too many pixels', makePng(5_001, 4_000)],
    ['a script in a PDF', makePdf({ catalog: '/OpenAction << /S /JavaScript /JS (x) >>' }, 'packed')],
    ['a text', Buffer.from('hello')],
  ])('leaves neither bytes nor quota, and uses up its upload_id: %s', async (_what, file) => {
    const before = storedFiles();
    const uploadId = randomUUID();
    expectRefusal(await upload({ uploadId, file, filename: 'photo.jpg' }), 'invalid_file');

    expect(storedFiles()).toBe(before);
    // Waits, because the checking process only removes its folder when it exits.
    await vi.waitFor(() => expect(filesIn('incoming')).toEqual([]), 120_000);
    expect(await usage(alice.id)).toEqual({ files: 0, bytes: 0, records: 1 });
    expectRefusal(await upload({ uploadId, file }), 'upload_unavailable');
    expectRefusal(await upload({ uploadId, file: photo }), 'upload_unavailable');
  });
});

describe('a repeated upload', () => {
  it('answers 200 with the same attachment and stores nothing', async () => {
    const uploadId = randomUUID();
    const first = await upload({ uploadId, file: photo });
    const before = [storedFiles(), await usage(alice.id)];
    const again = await upload({ uploadId: uploadId.toUpperCase(), file: photo, filename: 'other.jpg' });

    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
    expect([storedFiles(), await usage(alice.id)]).toEqual(before);
  });

  it('compares the bytes as they were sent, including those after the end of the image', async () => {
    const uploadId = randomUUID();
    await upload({ purpose: 'order', file: photo });
    const { bytes: usedBytes } = await usage(alice.id);
    const sent = Buffer.concat([photo, Buffer.from('MotionPhoto_Data and a video')]);
    const { status, body } = await upload({ uploadId, purpose: 'order', file: sent });
    const { size_bytes, sha256, download_url } = body['attachment'] ?? {};
    const headers = { authorization: `Bearer ${alice.token}` };
    const downloaded = await (await fetch(`${server().url}${download_url}`, { headers })).arrayBuffer();

    expect([status, size_bytes, sha256]).toEqual([201, photo.length, createHash('sha256').update(photo).digest('hex')]);
    expect(photo.equals(Buffer.from(downloaded))).toBe(true);
    expect((await usage(alice.id)).bytes).toBe(2 * usedBytes);
    expect((await upload({ uploadId, purpose: 'order', file: sent })).status).toBe(200);
    expectRefusal(await upload({ uploadId, purpose: 'order', file: photo }), 'idempotency_conflict');
  });

  it('conflicts with other bytes and with another purpose', async () => {
    const uploadId = randomUUID();
    await upload({ uploadId, file: photo });

    expectRefusal(await upload({ uploadId, file: readRealFile('mirrored.jpg') }), 'idempotency_conflict');
    expectRefusal(await upload({ uploadId, file: photo, purpose: 'order' }), 'idempotency_conflict');
  });

  it('is a new upload if another agent uses the same upload_id', async () => {
    const uploadId = randomUUID();
    await upload({ uploadId, file: photo });
    const bob = await server().register(`other_${agents}`);

    expect((await uploadFile(server().url, bob.token, { uploadId, file: photo })).status).toBe(201);
  });

  it('has one effect for concurrent duplicates', async () => {
    const uploadId = randomUUID();
    const duplicates = await Promise.all(Array.from({ length: 8 }, () => upload({ uploadId, file: photo })));
    const statuses = duplicates.map(({ status }) => status).sort();

    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    for (const status of statuses) expect([200, 201, 409]).toContain(status);
    expect(await usage(alice.id)).toMatchObject({ files: 1, records: 1 });
    expect((await upload({ uploadId, file: photo })).status).toBe(200);
  });
});

describe('an unfinished form', () => {
  it('releases its reservation and its upload_id when the client disconnects', async () => {
    const uploadId = randomUUID();
    const { socket } = beginUpload(server().url, alice.token, formStartingWithFields(uploadId));
    await expect.poll(() => usage(alice.id)).toMatchObject({ files: 1, bytes: 300_000 + 1_048_576 });
    socket.destroy();

    await expect.poll(() => usage(alice.id)).toEqual({ files: 0, bytes: 0, records: 0 });
    expect((await upload({ uploadId, file: photo })).status).toBe(201);
  });
});
