import { execFile } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  folderEvent,
  folderLease,
  folderOperation,
  folderOutbox,
  folderOwner,
  folderPin,
  writeEarlierFolder,
} from '../../testing/earlier-folder.ts';
import type { ImportPlan } from '../../testing/importing-process.ts';
import { failureOf } from '../../testing/records.ts';
import { freshPlace } from '../../testing/states.ts';
import { folderState } from './sqlite-state.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../../testing/importing-process.ts', import.meta.url));

async function earlierFolder(): Promise<string> {
  const folder = await freshPlace();
  writeEarlierFolder(folder);
  return folder;
}

async function open(folder: string) {
  const state = folderState(folder);
  onTestFinished(() => state.close());
  return await state.open(folderOwner);
}

/** Opens the folder in a process of its own; false when that was killed. */
async function importIn(plan: ImportPlan): Promise<boolean> {
  try {
    await run(process.execPath, [program, JSON.stringify(plan)], { timeout: 60_000 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'signal' in error && error.signal === 'SIGKILL') return false;
    throw error;
  }
}

/** Expects everything that the folder held, once and in its order, and nothing that was never received. */
async function expectWholeState(folder: string): Promise<void> {
  const { outbox, operations, pins, inbox } = await open(folder);
  expect(await outbox.list()).toEqual(folderOutbox);
  expect(await operations.list()).toEqual([folderOperation]);
  expect(await pins.list()).toEqual([folderPin]);
  const ids = async (status: 'waiting' | 'leased' | 'failed' | 'finished') =>
    (await inbox.list(status)).map(({ event }) => event);
  expect(await ids('finished')).toEqual([folderEvent(1)]);
  expect(await inbox.list('failed')).toEqual([
    { event: folderEvent(2), status: 'failed', attempts: 8, reason: 'the handler failed' },
  ]);
  expect(await ids('leased')).toEqual([folderEvent(3)]);
  expect(await ids('waiting')).toEqual([4, 5, 6].map(folderEvent));
}

describe('a folder of version 0.1', () => {
  it('is imported whole, and its files are deleted', async () => {
    const folder = await earlierFolder();

    await expectWholeState(folder);
    await expectWholeState(folder);

    expect(readdirSync(folder).filter((name) => !name.startsWith('state.sqlite'))).toEqual(['state.json']);
    expect(JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8'))).toEqual({ format: 2, ...folderOwner });
  });

  it('keeps its leases, the order within a topic, and the times of the next attempts', async () => {
    const { inbox } = await open(await earlierFolder());

    expect(await inbox.lease(1_000, 9_000)).toBeUndefined();
    expect(await inbox.renew(folderEvent(3).event_id, folderLease, 6_000)).toBe(true);
    expect(await inbox.lease(2_000, 9_000)).toMatchObject({ event: folderEvent(5), attempt: 2 });
    expect(await inbox.finish(folderEvent(3).event_id, folderLease, 3_000)).toBe(true);
    expect(await inbox.lease(3_000, 9_000)).toMatchObject({ event: folderEvent(4), attempt: 1 });
    expect(await inbox.keep(folderEvent(1), 'a', 3_000)).toBe('known');
    expect(await inbox.keep(folderEvent(7), 'a', 3_000)).toBe('kept');
    expect(await inbox.release(folderEvent(2).event_id, 3_000)).toBe(true);
  });

  it('is imported by the next start when the process is killed before any change of the disk', async () => {
    const pristine = await earlierFolder();
    const root = await freshPlace();
    for (let killBefore = 1; killBefore <= 40; killBefore += 1) {
      const folder = join(root, String(killBefore));
      cpSync(pristine, folder, { recursive: true });
      const isComplete = await importIn({ folder, killBefore });
      await expectWholeState(folder);
      if (!isComplete) continue;
      expect(killBefore).toBeGreaterThan(10);
      return;
    }
    throw new Error('The import has more changes than expected.');
  });

  it('is imported once by two processes that start at the same time', async () => {
    const folder = await earlierFolder();

    expect(await Promise.all([1, 2, 3].map(() => importIn({ folder, killBefore: null })))).toEqual([true, true, true]);

    await expectWholeState(folder);
  });

  it('is imported once when its files cannot be deleted', async () => {
    const folder = await earlierFolder();
    const copies = await freshPlace();
    await importIn({ folder, killBefore: null, isReadOnly: true });
    const leftovers = readdirSync(folder).filter((name) => name.includes('.import-'));
    expect(leftovers).toHaveLength(4);
    for (const name of leftovers) cpSync(join(folder, name), join(copies, name), { recursive: true });
    const { outbox, operations } = await open(folder);
    for (const { envelope } of folderOutbox) await outbox.remove(envelope.client_message_id);
    await operations.remove(folderOperation.operation_id);

    for (const name of leftovers) cpSync(join(copies, name), join(folder, name), { recursive: true });
    const again = await open(folder);

    expect([await again.outbox.list(), await again.operations.list()]).toEqual([[], []]);
  });

  it('is completed with what a process of version 0.1 still wrote', async () => {
    const folder = await earlierFolder();
    const { outbox } = await open(folder);
    await outbox.remove(folderOutbox[0]?.envelope.client_message_id ?? '');
    const other = await earlierFolder();
    cpSync(join(other, 'inbox'), join(folder, 'inbox'), { recursive: true });
    cpSync(join(other, 'operations'), join(folder, 'operations'), { recursive: true });

    const again = await open(folder);

    expect(await again.outbox.list()).toEqual([folderOutbox[1]]);
    expect(await again.operations.list()).toEqual([folderOperation]);
    expect(await again.inbox.list('waiting')).toHaveLength(3);
  });

  it('is refused with the names of the files that cannot be read, and imported without them', async () => {
    const folder = await earlierFolder();
    const pin = join(folder, 'pins', `${folderPin.bot_id}.json`);
    writeFileSync(pin, '{"bot_id":');
    const operation = join(folder, 'operations', `${folderOperation.operation_id}.json`);
    writeFileSync(operation, '{}');

    const failure = await failureOf(open(folder));
    expect(failure).toMatchObject({ code: 'state_unusable', message: expect.stringMatching(/^2 files .*backup/) });
    const broken = String(failure).match(/\/\S+\.json/g) ?? [];
    expect(broken).toHaveLength(2);
    for (const file of broken) rmSync(file);

    const { outbox, operations, pins, inbox } = await open(folder);
    expect(await outbox.list()).toEqual(folderOutbox);
    expect([await operations.list(), await pins.list()]).toEqual([[], []]);
    expect(await inbox.list('waiting')).toHaveLength(3);
  });

  it('of another agent is refused and left as it is', async () => {
    const folder = await earlierFolder();
    const state = folderState(folder);
    onTestFinished(() => state.close());

    expect(await failureOf(state.open({ ...folderOwner, bot_id: 'another' }))).toMatchObject({
      code: 'state_of_other_agent',
    });

    expect(existsSync(join(folder, 'outbox'))).toBe(true);
    await expectWholeState(folder);
  });
});
