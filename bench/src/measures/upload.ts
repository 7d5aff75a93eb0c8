import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import sharp from 'sharp';
import { request } from 'undici';
import { load } from '../load.ts';
import type { Figure, Measure, Run } from '../measure.ts';
import { median, summary } from '../median.ts';
import { makePhotograph } from '../photograph.ts';
import { readResidentBytes } from '../process-figures.ts';
import { type RegisteredAgent, registerAgent } from '../registered-agent.ts';
import { referenceServer, type ServerProcess, startServerProcess } from '../server-process.ts';
import { mustUpload, uploadForms, uploadOnce, withoutQuotas } from '../uploads.ts';

const restMs = 300;
const warmUpPairs = 10;
const mebibyte = 1024 * 1024;
const largestFileBytes = 20 * mebibyte;
const path = '/api/v1/bots/me';

/** Uploads: their time, what they cost others, and what they leave behind. */
export const upload: Measure = {
  name: 'upload',
  title: 'uploading a JPEG of 12 megapixels, against bare sharp making the same preview (PostgreSQL)',
  take: async (run) => {
    const folder = run.freshFolder();
    const server = await startServerProcess(referenceServer, folder, {
      DATABASE_URL: await run.freshDatabase(),
      PLATFORM_DATA_DIR: folder,
      ...withoutQuotas,
    });
    try {
      const agent = await registerAgent(server.url, 'measured');
      const photograph = await makePhotograph();
      run.say(`the photograph has ${(photograph.length / mebibyte).toFixed(1)} MiB`);
      return [
        ...(await takeTimes(run, server, agent, photograph, folder)),
        ...(await takeOthers(run, server, agent, photograph)),
        await takeMemory(run, server, agent, photograph),
      ];
    } finally {
      await server.stop();
    }
  },
};

// In turn, and judged in pairs, as in the other measures.
async function takeTimes(
  run: Run,
  server: ServerProcess,
  agent: RegisteredAgent,
  photograph: Buffer,
  folder: string,
): Promise<readonly Figure[]> {
  const file = join(folder, 'photograph.jpg');
  writeFileSync(file, photograph);
  const bare = () => timed(() => makePreview(file, join(folder, 'preview.jpg')));
  const nextForm = uploadForms(photograph);
  const whole = () => {
    const form = nextForm();
    return timed(() => mustUpload(server.url, agent.token, form));
  };
  const take = async () => ({ bare: await afterRest(bare), server: await afterRest(whole) });
  const taken: { bare: number; server: number }[] = [];
  for (let round = 0; round < (run.quick ? 1 : warmUpPairs); round += 1) await take();
  for (let round = 0; round < (run.quick ? 3 : 40); round += 1) taken.push(await take());
  return [
    {
      name: 'time of an upload by that of bare sharp',
      ...summary(taken.map((pair) => pair.server / pair.bare)),
      unit: '',
      target: { below: 1.5 },
    },
    { name: 'upload', ...summary(taken.map((pair) => pair.server)), unit: 'ms' },
    { name: 'bare sharp', ...summary(taken.map((pair) => pair.bare)), unit: 'ms' },
  ];
}

async function makePreview(file: string, preview: string): Promise<void> {
  await sharp(file, { failOn: 'warning' })
    .autoOrient()
    .resize({ width: 1_280, height: 1_280, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .jpeg({ quality: 82 })
    .toFile(preview);
}

// The server starts the process for the next file when it has answered, which must trouble neither of the two.
async function afterRest(work: () => Promise<number>): Promise<number> {
  await wait(restMs);
  return await work();
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

// What two files under check cost the agents that only read.
async function takeOthers(
  run: Run,
  server: ServerProcess,
  agent: RegisteredAgent,
  photograph: Buffer,
): Promise<readonly Figure[]> {
  const headers = { authorization: `Bearer ${agent.token}` };
  const answer = await request(`${server.url}${path}`, { headers });
  const target = { url: server.url, path, headers, bodyBytes: Buffer.byteLength(await answer.body.text()) };
  const seconds = run.quick ? 0.5 : 4;
  const pairs: { idle: number; busy: number }[] = [];
  for (let round = 0; round < (run.quick ? 1 : 5); round += 1) {
    const idle = (await load(target, { seconds })).p99Ms;
    let isOver = false;
    const keepUploading = async () => {
      const nextForm = uploadForms(photograph);
      // A place may not be free yet when the next upload comes; it then tries again.
      while (!isOver) await uploadOnce(server.url, agent.token, nextForm());
    };
    const uploading = Promise.all([keepUploading(), keepUploading()]);
    const busy = (await load(target, { seconds })).p99Ms;
    isOver = true;
    await uploading;
    pairs.push({ idle, busy });
  }
  return [
    {
      name: 'p99 of others during two checks by that without',
      ...summary(pairs.map(({ idle, busy }) => busy / idle)),
      unit: '',
      target: { below: 3 },
    },
    { name: 'p99 during two checks', value: median(pairs.map(({ busy }) => busy)), unit: 'ms' },
    { name: 'p99 without', value: median(pairs.map(({ idle }) => idle)), unit: 'ms' },
  ];
}

async function takeMemory(
  run: Run,
  server: ServerProcess,
  agent: RegisteredAgent,
  photograph: Buffer,
): Promise<Figure> {
  const uploads = run.quick ? 5 : 50;
  // Padded as cameras pad, to the last byte that a file may have.
  const largest = Buffer.concat([photograph, Buffer.alloc(largestFileBytes - photograph.length)]);
  const nextForm = uploadForms(largest);
  const before = readResidentBytes(server.pid);
  let most = before;
  for (let count = 0; count < uploads; count += 1) {
    await mustUpload(server.url, agent.token, nextForm());
    most = Math.max(most, readResidentBytes(server.pid));
  }
  return {
    name: `growth of memory over ${uploads} uploads of 20 MiB`,
    value: (most - before) / mebibyte,
    unit: 'MiB',
    target: { below: 100 },
  };
}
