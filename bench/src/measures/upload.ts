import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { request } from 'undici';
import { runLoad } from '../load/load.ts';
import { readResidentBytes } from '../load/process-figures.ts';
import { startServer, startServerProgram } from '../load/server-process.ts';
import type { Figure, Measure } from '../measure.ts';
import { measureMs, measureRounds, toFigures } from '../rounds.ts';
import type { BenchRun } from '../run.ts';
import { registerAgent } from '../scenarios/agents.ts';
import { makePreview } from '../scenarios/make-preview.ts';
import { makePhotograph } from '../scenarios/photograph.ts';
import { sendRequest } from '../scenarios/send.ts';
import {
  makeUploadForms,
  settingsWithoutQuotas,
  type Uploader,
  uploadOnce,
  uploadWithRetry,
} from '../scenarios/uploads.ts';

const restMs = 300;
const mebibyte = 1024 * 1024;
const largestFileBytes = 20 * mebibyte;
const path = '/api/v1/bots/me';
const previewProcess = fileURLToPath(import.meta.resolve('../bare/preview-process.ts'));
const runFile = promisify(execFile);
const leastServer = fileURLToPath(import.meta.resolve('../bare/upload-server.ts'));

export const uploadMeasure: Measure = {
  name: 'upload',
  title: 'uploading a JPEG of 12 megapixels, by one agent and by another agent each time',
  baseline: 'bare sharp that reads the file and makes the same preview, in the process of the bench',
  leavesOut: 'HTTP, the database, the isolation of the check, the hash, the copy of the original, the sync to the disk',
  take: async (run) => {
    const taking = await prepare(run);
    return [
      ...(await takeTimes(taking)),
      ...(await takeManyAgents(taking)),
      ...(await takeOthers(taking)),
      await takeMemory(taking),
    ];
  },
};

async function prepare(run: BenchRun) {
  // Each agent uses a different address, because upload slots are shared among addresses.
  const server = await startServer(run, { ...settingsWithoutQuotas, PLATFORM_TRUST_PROXY: '127.0.0.1' });
  const least = await startServerProgram(run, leastServer, { DATABASE_URL: server.databaseUrl });
  const { token } = await registerAgent(server.url, 'measured');
  const photograph = await makePhotograph(run.quick ? 1 : 12);
  run.say(`the photograph has ${(photograph.length / mebibyte).toFixed(1)} MiB`);
  return { ...server, least, token, photograph, quick: run.quick };
}

type Taking = Awaited<ReturnType<typeof prepare>>;

async function takeTimes({ quick, url, least, folder, token, photograph }: Taking): Promise<readonly Figure[]> {
  const file = join(folder, 'photograph.jpg');
  writeFileSync(file, photograph);
  const nextForm = makeUploadForms(photograph);
  const sides = {
    bare: () => afterRest(() => measureMs(() => makePreview(file))),
    least: () => afterRest(() => measureMs(() => storeBare(least.url, photograph))),
    server: () =>
      afterRest(() => {
        const form = nextForm();
        return measureMs(() => uploadWithRetry(url, { token }, form));
      }),
  };
  await measureRounds(quick ? 1 : 10, sides);
  return toFigures(await measureRounds(quick ? 1 : 40, sides), [
    ['time of an upload by that of bare sharp', (round) => round.server / round.bare, '', { below: 1.25 }],
    ['time of an upload by that of a bare route that stores', (round) => round.server / round.least, ''],
    ['upload', (round) => round.server, 'ms'],
    ['bare route that stores', (round) => round.least, 'ms'],
    ['bare sharp', (round) => round.bare, 'ms'],
  ]);
}

async function takeManyAgents({ quick, url, folder, photograph }: Taking): Promise<readonly Figure[]> {
  const agents: Uploader[] = [];
  for (let number = 1; number <= (quick ? 2 : 20); number += 1)
    agents.push({ ...(await registerAgent(url, `many_${number}`)), address: `192.0.2.${number}` });
  const file = join(folder, 'photograph.jpg');
  let next = 0;
  const another = () => agents[next++ % agents.length] as Uploader;
  const upload = (agent: Uploader) => uploadWithRetry(url, agent, makeUploadForms(photograph)());
  const inTurn = await measureRounds(quick ? 1 : agents.length, {
    bare: () => afterRest(() => measureMs(() => makePreview(file))),
    server: () => afterRest(() => measureMs(() => upload(another()))),
  });
  const takeTogether = async () => {
    let repeats = 0;
    const taken = await timedOnMachine(async () => {
      for (const count of await Promise.all(agents.map(upload))) repeats += count;
    });
    return { ...taken, repeats };
  };
  const takeTwoAtATime = (preview: () => Promise<unknown>) => async () => {
    const taken = await timedOnMachine(() =>
      Promise.all(
        [0, 1].map(async (index) => {
          for (let at = index; at < agents.length; at += 2) await preview();
        }),
      ),
    );
    return { ...taken, repeats: 0 };
  };
  // One thread for each process, as in the inspector.
  const env = { NODE_COMPILE_CACHE: join(folder, 'compiled'), VIPS_CONCURRENCY: '1' };
  const together = await measureRounds(quick ? 1 : 5, {
    bare: takeTwoAtATime(() => makePreview(file)),
    floor: takeTwoAtATime(() => runFile(process.execPath, [previewProcess, file], { env })),
    server: takeTogether,
  });
  return [
    ...toFigures(inTurn, [
      ['another agent each time: time by that of bare sharp', (round) => round.server / round.bare, '', { below: 1.5 }],
      ['another agent each time: upload', (round) => round.server, 'ms'],
    ]),
    ...toFigures(together, [
      [
        `${agents.length} agents at once: time by that of bare sharp, two at a time`,
        ({ server, bare: least }) => server.ms / least.ms,
        '',
        { below: 2.2 },
      ],
      ['a process for each picture: time by that of bare sharp', ({ floor, bare: least }) => floor.ms / least.ms, ''],
      [`${agents.length} agents at once: each upload`, (round) => round.server.ms / agents.length, 'ms'],
      [
        `${agents.length} agents at once: taken at once`,
        ({ server }) => 100 / (1 + server.repeats / agents.length),
        '%',
      ],
      [`${agents.length} agents at once: processors busy`, ({ server }) => server.busyShare * 100, '%'],
      [`${agents.length} agents at once: processor`, ({ server }) => server.processorMs / agents.length, 'ms'],
      ['bare sharp, two at a time: processor', ({ bare }) => bare.processorMs / agents.length, 'ms'],
    ]),
  ];
}

/** Uses the processor time of the whole machine: an ended inspector process is no longer the server's descendant. */
async function timedOnMachine(work: () => Promise<unknown>) {
  const before = readMachine();
  const ms = await measureMs(work);
  const after = readMachine();
  const processorMs = after.busyMs - before.busyMs;
  return { ms, processorMs, busyShare: processorMs / (after.allMs - before.allMs) };
}

function readMachine() {
  let [allMs, idleMs] = [0, 0];
  for (const { times } of cpus()) {
    allMs += times.user + times.nice + times.sys + times.irq + times.idle;
    idleMs += times.idle;
  }
  return { allMs, busyMs: allMs - idleMs };
}

async function storeBare(url: string, photograph: Uint8Array): Promise<void> {
  const answer = await request(url, { method: 'POST', body: photograph });
  await answer.body.dump();
  if (answer.statusCode !== 201) throw new Error(`The bare route responded with ${answer.statusCode}.`);
}

// Waits before the work, because the server starts the process for the next file after each response.
async function afterRest(work: () => Promise<number>): Promise<number> {
  await wait(restMs);
  return await work();
}

// Measures how much two concurrent file checks slow down agents that only read.
async function takeOthers({ quick, url, token, photograph }: Taking): Promise<readonly Figure[]> {
  const bodyBytes = Buffer.byteLength(await sendRequest(url, path, token));
  const target = { url, path, headers: { authorization: `Bearer ${token}` }, bodyBytes };
  const seconds = quick ? 0.15 : 4;
  const takeP99 = async () => (await runLoad(target, { seconds })).p99Ms;
  const takeBusy = async () => {
    let isOver = false;
    const keepUploading = async () => {
      const nextForm = makeUploadForms(photograph);
      // A refused upload is sent again, because all upload slots may still be in use.
      while (!isOver) await uploadOnce(url, { token }, nextForm());
    };
    const uploading = Promise.all([keepUploading(), keepUploading()]);
    const p99Ms = await takeP99();
    isOver = true;
    await uploading;
    return p99Ms;
  };
  return toFigures(await measureRounds(quick ? 1 : 5, { idle: takeP99, busy: takeBusy }), [
    ['p99 of others during two checks by that without', (round) => round.busy / round.idle, '', { below: 2 }],
    ['p99 during two checks', (round) => round.busy, 'ms'],
    ['p99 without', (round) => round.idle, 'ms'],
  ]);
}

async function takeMemory({ quick, url, pid, token, photograph }: Taking): Promise<Figure> {
  const uploads = quick ? 3 : 50;
  // The file is padded to the maximum size; some cameras pad files too.
  const largest = Buffer.concat([photograph, Buffer.alloc(largestFileBytes - photograph.length)]);
  const nextForm = makeUploadForms(largest);
  const before = readResidentBytes(pid);
  let most = before;
  for (let count = 0; count < uploads; count += 1) {
    await uploadWithRetry(url, { token }, nextForm());
    most = Math.max(most, readResidentBytes(pid));
  }
  const value = (most - before) / mebibyte;
  return { name: `growth of memory over ${uploads} uploads of 20 MiB`, value, unit: 'MiB', target: { below: 100 } };
}
