import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { describe, expect, it } from 'vitest';
import {
  type SharingProcessPlan,
  type SharingProcessReport,
  sharedStateOwner,
} from '../../testing/programs/sharing-process.ts';
import { makeDurableState } from '../../testing/states.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../../testing/programs/sharing-process.ts', import.meta.url));

async function share(plan: SharingProcessPlan): Promise<SharingProcessReport> {
  const { stdout } = await run(process.execPath, [program, JSON.stringify(plan)], { timeout: 600_000 });
  return JSON.parse(stdout);
}

/** Starts a write on a new database in a separate thread, and commits it after `holdMs`. */
async function writeElsewhere(place: string, holdMs: number): Promise<void> {
  const program = `
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const { parentPort, workerData } = require('node:worker_threads');
    const database = new DatabaseSync(workerData.file);
    database.exec('begin immediate; create table elsewhere (x)');
    parentPort.postMessage('begun');
    setTimeout(() => { database.exec('commit'); database.close(); }, workerData.holdMs);`;
  const worker = new Worker(program, { eval: true, workerData: { file: join(place, 'state.sqlite'), holdMs } });
  await once(worker, 'message');
}

describe('several processes on one database', () => {
  it('wait for each other when they create it', async () => {
    const place = makeTestFolder();
    await writeElsewhere(place, 300);

    const { outbox } = await makeDurableState(place).open(sharedStateOwner);

    expect(await outbox.list()).toEqual([]);
  });

  it('store every event once, handle it once and in the order of its topic, pin one key, and remember one envelope of a nonce', async () => {
    const place = makeTestFolder();
    const plan: SharingProcessPlan = { place, events: 60, topics: 3 };

    const reports = await Promise.all([1, 2, 3, 4].map(() => share(plan)));

    const kept = reports.flatMap((report) => report.kept);
    const handled = reports.flatMap((report) => report.handled).toSorted((one, other) => one.beganAt - other.beganAt);
    expect(kept).toHaveLength(60);
    expect(new Set(kept).size).toBe(60);
    expect(handled).toHaveLength(60);
    expect(new Set(handled.map(({ id }) => id)).size).toBe(60);
    for (const topic of ['topic-0', 'topic-1', 'topic-2']) {
      const ofTopic = handled.filter((one) => one.topic === topic);
      expect(ofTopic.map(({ id }) => id)).toEqual(ofTopic.map(({ id }) => id).toSorted());
      for (const [index, { endedAt }] of ofTopic.entries()) {
        expect(ofTopic[index + 1]?.beganAt ?? Infinity).toBeGreaterThanOrEqual(endedAt);
      }
    }
    expect(new Set(reports.map(({ pinned }) => pinned)).size).toBe(1);
    expect(new Set(reports.map(({ remembered }) => remembered)).size).toBe(1);
    const { inbox } = await makeDurableState(place).open(sharedStateOwner);
    expect(await inbox.list('waiting')).toEqual([]);
    expect(await inbox.list('leased')).toEqual([]);
    expect(await inbox.list('finished')).toHaveLength(60);
  });
});
