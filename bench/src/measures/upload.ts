import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import sharp from 'sharp';
import { takeRounds, timed, toFigures } from '../figures/rounds.ts';
import { load } from '../load/load.ts';
import { measuredWork } from '../load/measured-load.ts';
import { readResidentBytes } from '../load/process-figures.ts';
import { startServer } from '../load/server-process.ts';
import type { Figure, Measure } from '../measure.ts';
import type { Run } from '../run.ts';
import { type MeasuredAgent, registerAgent } from '../scenarios/agents.ts';
import { makePhotograph } from '../scenarios/photograph.ts';
import { send } from '../scenarios/send.ts';
import { mustUpload, uploadForms, uploadOnce, withoutQuotas } from '../scenarios/uploads.ts';

const restMs = 300;
const mebibyte = 1024 * 1024;
const largestFileBytes = 20 * mebibyte;
const path = '/api/v1/bots/me';

/** Uploads: their time, what they cost others, and what they leave behind. */
export const upload: Measure = {
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

async function prepare(run: Run) {
  const server = await startServer(run, withoutQuotas);
  const { token } = await registerAgent(server.url, 'measured');
  const photograph = await makePhotograph(run.quick ? 1 : 12);
  run.say(`the photograph has ${(photograph.length / mebibyte).toFixed(1)} MiB`);
  return { ...server, token, photograph, quick: run.quick, databasePid: await run.databasePid() };
}

type Taking = Awaited<ReturnType<typeof prepare>>;

async function takeTimes({ quick, url, folder, token, photograph }: Taking): Promise<readonly Figure[]> {
  const file = join(folder, 'photograph.jpg');
  writeFileSync(file, photograph);
  const nextForm = uploadForms(photograph);
  const sides = {
    bare: () => afterRest(() => timed(() => makePreview(file, join(folder, 'preview.jpg')))),
    server: () =>
      afterRest(() => {
        const form = nextForm();
        return timed(() => mustUpload(url, token, form));
      }),
  };
  await takeRounds(quick ? 1 : 10, sides);
  return toFigures(await takeRounds(quick ? 1 : 40, sides), [
    ['time of an upload by that of bare sharp', (round) => round.server / round.bare, '', { below: 1.5 }],
    ['upload', (round) => round.server, 'ms'],
    ['bare sharp', (round) => round.bare, 'ms'],
  ]);
}

/** Agents that have not uploaded before: in turn, and all at the same time. */
async function takeManyAgents({
  quick,
  url,
  pid,
  databasePid,
  folder,
  photograph,
}: Taking): Promise<readonly Figure[]> {
  const agents: MeasuredAgent[] = [];
  for (let number = 1; number <= (quick ? 2 : 20); number += 1) agents.push(await registerAgent(url, `many_${number}`));
  const file = join(folder, 'photograph.jpg');
  let next = 0;
  const another = () => agents[next++ % agents.length]?.token ?? '';
  const upload = (token: string) => mustUpload(url, token, uploadForms(photograph)());
  const bare = (index: number) => makePreview(file, join(folder, `preview-${index}.jpg`));
  const inTurn = await takeRounds(quick ? 1 : agents.length, {
    bare: () => afterRest(() => timed(() => bare(0))),
    server: () => afterRest(() => timed(() => upload(another()))),
  });
  const takeTogether = async () => {
    const work = async () => ({
      count: agents.length,
      ms: await timed(() => Promise.all(agents.map(({ token }) => upload(token)))),
    });
    return await measuredWork({ serverPids: [pid], databasePid }, work);
  };
  const takeBareTogether = async () => {
    const { user, system } = process.cpuUsage();
    const ms = await timed(() =>
      Promise.all(
        [0, 1].map(async (index) => {
          for (let at = index; at < agents.length; at += 2) await bare(index);
        }),
      ),
    );
    const used = process.cpuUsage();
    return { ms, processorUs: (used.user + used.system - user - system) / agents.length };
  };
  const together = await takeRounds(quick ? 1 : 5, { bare: takeBareTogether, server: takeTogether });
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
        { below: 1.5 },
      ],
      [`${agents.length} agents at once: each upload`, (round) => round.server.ms / agents.length, 'ms'],
      [`${agents.length} agents at once: processor`, (round) => round.server.processorUs / 1_000, 'ms'],
      [`bare sharp, two at a time: processor`, (round) => round.bare.processorUs / 1_000, 'ms'],
    ]).filter(({ value }) => !Number.isNaN(value)),
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

// What two files under check cost the agents that only read.
async function takeOthers({ quick, url, token, photograph }: Taking): Promise<readonly Figure[]> {
  const bodyBytes = Buffer.byteLength(await send(url, path, token));
  const target = { url, path, headers: { authorization: `Bearer ${token}` }, bodyBytes };
  const seconds = quick ? 0.15 : 4;
  const takeP99 = async () => (await load(target, { seconds })).p99Ms;
  const takeBusy = async () => {
    let isOver = false;
    const keepUploading = async () => {
      const nextForm = uploadForms(photograph);
      // No place may be free yet for the next upload; it is then sent again.
      while (!isOver) await uploadOnce(url, token, nextForm());
    };
    const uploading = Promise.all([keepUploading(), keepUploading()]);
    const p99Ms = await takeP99();
    isOver = true;
    await uploading;
    return p99Ms;
  };
  return toFigures(await takeRounds(quick ? 1 : 5, { idle: takeP99, busy: takeBusy }), [
    ['p99 of others during two checks by that without', (round) => round.busy / round.idle, '', { below: 3 }],
    ['p99 during two checks', (round) => round.busy, 'ms'],
    ['p99 without', (round) => round.idle, 'ms'],
  ]);
}

async function takeMemory({ quick, url, pid, token, photograph }: Taking): Promise<Figure> {
  const uploads = quick ? 3 : 50;
  // Padded as cameras pad, to the last byte that a file may have.
  const largest = Buffer.concat([photograph, Buffer.alloc(largestFileBytes - photograph.length)]);
  const nextForm = uploadForms(largest);
  const before = readResidentBytes(pid);
  let most = before;
  for (let count = 0; count < uploads; count += 1) {
    await mustUpload(url, token, nextForm());
    most = Math.max(most, readResidentBytes(pid));
  }
  const value = (most - before) / mebibyte;
  return { name: `growth of memory over ${uploads} uploads of 20 MiB`, value, unit: 'MiB', target: { below: 100 } };
}
