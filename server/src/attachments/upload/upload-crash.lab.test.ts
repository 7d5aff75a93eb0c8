import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freshDatabase, type ServerProcess, startLoadAdjustedTimer, startServerProcess } from '@agent-platform/testing';
import { copyEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { readRealFile } from '../../../testing/files/real-files.ts';
import { type Installation, makeInstallation, register } from '../../../testing/installation.ts';
import { beginUpload, formStartingWithFields } from '../../../testing/scenarios/begin-upload.ts';
import { uploadFile } from '../../../testing/scenarios/upload.ts';
import { expectRefusal } from '../../../testing/test-server.ts';

const photo = readRealFile('upright.jpg');
let installation: Installation | undefined;
let running: ServerProcess | undefined;
afterEach(async () => {
  await running?.end('SIGKILL');
  await installation?.stop();
});

/** Starts an upload that uses up the agent's quota of one file. */
async function occupyQuota(url: string, countArriving: () => number) {
  for (const handle of ['alice', 'alina', 'alma']) {
    const { token } = await register(url, handle);
    const uploadId = randomUUID();
    const { socket } = beginUpload(url, token, formStartingWithFields(uploadId));
    await expect.poll(countArriving).toBe(1);
    const uploadAnother = async () => (await uploadFile(url, token, { file: photo })).status;
    let status = await uploadAnother();
    while (status !== 429 && status !== 201) status = await uploadAnother();
    if (status === 429) return { token, uploadId, socket };
    // On a busy machine the first upload may time out, and the second one gets the quota.
    socket.destroy();
    await expect.poll(countArriving).toBe(0);
  }
  throw new Error('The other upload was accepted in every attempt.');
}

const databases = [
  { name: 'the embedded database', makeDatabase: async () => ({}), attempts: 5, bytesMs: 20_000 },
  {
    name: 'PostgreSQL, where another process might still be receiving it, so that the quota is free after 20 s',
    makeDatabase: async () => ({ DATABASE_URL: await freshDatabase(inject('postgresUrl')) }),
    attempts: 40,
    // Three times the expected maximum: twice the longest upload, plus the sweep interval.
    bytesMs: 150_000,
  },
];

describe.each(databases)('a kill -9 in the middle of an upload, with $name', ({ makeDatabase, attempts, bytesMs }) => {
  it('does not prevent the next start, leaves a correct quota and no bytes, and makes the id unavailable', async () => {
    installation = makeInstallation({
      PLATFORM_AGENT_FILES: '1',
      PLATFORM_UPLOAD_SECONDS: '15',
      PLATFORM_UPLOAD_ISOLATION: 'auto',
      ...(await makeDatabase()),
    });
    if (installation.env['DATABASE_URL'] === undefined) copyEmptyDatabase(installation.dataDir);
    running = await startServerProcess(installation.env);
    const incoming = join(installation.dataDir, 'files', 'incoming');
    const arriving = () => readdirSync(incoming, { withFileTypes: true }).length;
    const stored = () =>
      readdirSync(join(installation?.dataDir ?? '', 'files'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== 'storage-id')
        .map(({ name }) => name);
    const { token, uploadId, socket } = await occupyQuota(running.url, () => tryArriving(arriving));
    // Includes the upload in progress and, on a busy machine, files from failed attempts of `occupyQuota`.
    const storedBefore = stored();
    await running.end('SIGKILL');
    socket.destroy();

    const quietMs = startLoadAdjustedTimer();
    running = await startServerProcess(installation.env);
    expect(quietMs()).toBeLessThan(20_000);
    expectRefusal(await uploadFile(running.url, token, { file: photo, uploadId }), 'upload_unavailable');
    const uploadAgain = async () => (await uploadFile(running?.url ?? '', token, { file: photo })).status;
    // Retries every second; on a busy machine, each attempt takes longer.
    let status = await uploadAgain();
    for (let attempt = 1; attempt < attempts && status !== 201; attempt += 1) {
      await wait(1_000);
      status = await uploadAgain();
    }
    expect(status).toBe(201);
    // The quota is used up again, but not by the upload to the killed process.
    expect(await uploadAgain()).toBe(429);
    await expect.poll(arriving, { timeout: bytesMs, interval: 1_000 }).toBe(0);
    expect(stored().filter((name) => !storedBefore.includes(name))).toHaveLength(2);
    expectRefusal(await uploadFile(running.url, token, { file: photo, uploadId }), 'upload_unavailable');
  });
});

function tryArriving(count: () => number): number {
  try {
    return count();
  } catch {
    return 0;
  }
}
