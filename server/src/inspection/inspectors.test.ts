import { globSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import sharp from 'sharp';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeSlowPdf } from '../../testing/files/endless-pdf.ts';
import { makePdf } from '../../testing/files/pdf-maker.ts';
import { readRealFile } from '../../testing/files/real-files.ts';
import {
  findLaunchedProcesses,
  findOwnInspectors,
  findOwnLaunchers,
  handlesSighup,
  readProcessorTicks,
} from '../../testing/process-facts.ts';
import { makeLogger } from '../platform/logger.ts';
import { inspectorLimits } from './inspector-command.ts';
import { InspectionAborted, InspectorTimeout, InspectorUnavailable } from './inspector-process.ts';
import { sharedCompileCache as compileCache, InspectorPool } from './inspectors.ts';
import { chooseIsolation } from './isolation.ts';
import { mediaTypes } from './verdict.ts';

const folder = makeTestFolder();

let inspectors: InspectorPool;
afterEach(async () => await inspectors.close());

const quiet = makeLogger('info', { stream: new PassThrough().resume(), isTerminal: false });
// These limits are long, because every step takes longer while other programs run.
const patient = { ...inspectorLimits, startMs: 60_000, verdictMs: 60_000, furtherVerdictMs: 60_000, workMaxMs: 60_000 };

/** The agents from which files are expected. */
let expected: readonly string[];
const openWith = (setup: { readonly limits?: typeof patient; readonly folder?: string }) => {
  expected = [];
  const isolation = chooseIsolation('auto');
  inspectors = new InspectorPool(quiet, { limits: patient, isolation, folder, compileCache, ...setup }, () => expected);
  return inspectors;
};

const open = (limits = patient) => {
  const opened = openWith({ limits });
  return {
    expect: (ownerId: string) => {
      expected = [...expected, ownerId];
      opened.startExpected();
    },
    inspect: (...[request, ownerId, brief]: Parameters<InspectorPool['inspect']>) => {
      expected = expected.filter((other) => other !== ownerId);
      return opened.inspect(request, ownerId, brief);
    },
    close: () => opened.close(),
  };
};

function place(name: string, bytes: Uint8Array) {
  const file = join(folder, name);
  writeFileSync(file, bytes);
  const limits = { imageMaxPixels: 20_000_000, pdfMaxPages: 200 };
  const previews = { previewMaxPixelsPerSide: 1_280, previewMaxBytes: 1_048_576 };
  return { file, fileBytes: bytes.length, accepts: mediaTypes, ...limits, ...previews };
}

/** Makes a small file with a page description of 600 MiB. */
function hugePdf(): Buffer {
  const content = deflateSync(Buffer.alloc(600 * 1024 * 1024, ' '), { level: 1 }).toString('latin1');
  const stream = `<< /Filter /FlateDecode /Length ${content.length} >>\nstream\n${content}\nendstream`;
  return makePdf({ page: '/Contents 10 0 R', objects: [stream] });
}

async function children(count: number): Promise<readonly string[]> {
  return await vi.waitFor(
    async () => {
      const found = await findOwnInspectors();
      expect(found).toHaveLength(count);
      return found;
    },
    { timeout: 120_000 },
  );
}

const ann = 'ann';
const bob = 'bob';

describe('the inspectors', () => {
  it('inspect concurrent files in separate processes', async () => {
    const { inspect } = open();
    const [picture, pdf] = await Promise.all([
      inspect(place('a.jpg', readRealFile('cmyk.jpg')), ann),
      inspect(place('b.pdf', readRealFile('pdftex.pdf')), ann),
    ]);

    expect(picture).toMatchObject({ kind: 'accepted', mediaType: 'image/jpeg' });
    expect(pdf).toMatchObject({ kind: 'accepted', mediaType: 'application/pdf', pageCount: 38 });
  });

  it.skipIf(process.platform !== 'linux')(
    'run apart from the server, with few rights and without its environment',
    async () => {
      process.env['SECRET_OF_THE_SERVER'] = 'secret';
      const { expect: prepare } = open();
      prepare(ann);
      const [pid = ''] = await children(1);
      const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'latin1');
      delete process.env['SECRET_OF_THE_SERVER'];

      expect(read('cmdline').split('\0')).toContain('--permission');
      expect(read('environ')).not.toContain('SECRET_OF_THE_SERVER');
      const { kind } = chooseIsolation('auto');
      if (kind !== 'none') expect(read('status')).toContain('NoNewPrivs:\t1\n');
      for (const name of ['ipc', 'mnt', 'net', 'pid', 'user', 'uts']) {
        const space = (of: string) => readlinkSync(`/proc/${of}/ns/${name}`);
        expect(space(pid) !== space('self'), name).toBe(kind === 'namespaces');
      }
    },
  );

  it('refuse a file that takes too much processor time, and inspect the next one', async () => {
    const { inspect } = open({ ...patient, processorMs: 500 });

    expect(await inspect(place('endless.pdf', makeSlowPdf()), ann)).toEqual({ kind: 'refused', fault: 'too_costly' });
    expect(await inspect(place('next.jpg', readRealFile('upright.jpg')), ann)).toMatchObject({ kind: 'accepted' });
  });

  it('give up a file that takes too much memory', async () => {
    const { inspect } = open({ ...patient, memoryMaxBytes: 256 * 1024 * 1024 });

    expect(await inspect(place('huge.pdf', hugePdf()), ann)).toEqual({ kind: 'refused', fault: 'too_costly' });
    expect(await inspect(place('next.pdf', readRealFile('r-plots.pdf')), ann)).toMatchObject({ kind: 'accepted' });
  });

  it('report a failure of the machine, not of the file, if they start late or cannot start', async () => {
    const { execPath } = process;
    const broken = open();
    process.execPath = '/bin/false';
    const failing = broken.inspect(place('fine.jpg', readRealFile('upright.jpg')), ann);
    process.execPath = execPath;
    await expect(failing).rejects.toThrow(InspectorUnavailable);
    await broken.close();

    const late = open({ ...patient, startMs: 1 });
    await expect(late.inspect(place('fine.jpg', readRealFile('upright.jpg')), ann)).rejects.toThrow(InspectorTimeout);
  });

  it('continue after a folder could not be written, and use it again when it can be', async () => {
    const gone = join(folder, 'gone');
    const opened = openWith({ folder: gone });
    writeFileSync(gone, '');
    opened.startExpected();
    const picture = place('unwritten.jpg', readRealFile('upright.jpg'));

    await expect(opened.inspect(picture, ann)).rejects.toThrow(InspectorUnavailable);
    rmSync(gone);
    expect(await opened.inspect(picture, ann)).toMatchObject({ kind: 'accepted' });
    await expect(opened.inspect({ ...picture, file: join(folder, 'none.jpg') }, ann)).rejects.toThrow('ENOENT');
    expect(await opened.inspect(picture, ann)).toMatchObject({ kind: 'accepted' });
  });

  it('refuse no file that got less processor time than its limit, however long its check took', async () => {
    const { inspect } = open({ ...patient, verdictMs: 3_000 });

    // A single thread draws the page, so it cannot use its 10 s of processor time within 3 s.
    await expect(inspect(place('slow.pdf', makeSlowPdf()), ann)).rejects.toThrow(InspectorTimeout);
  });

  it('refuse no file because their launcher ended, and start another one', async () => {
    const { inspect } = open();
    const inspecting = expect(inspect(place('lost.pdf', makeSlowPdf()), ann)).rejects.toThrow(InspectorUnavailable);
    await vi.waitFor(() => expect(globSync(join(folder, '*', 'file'))).toHaveLength(1), 120_000);
    for (const launcher of findOwnLaunchers()) process.kill(launcher, 'SIGKILL');

    await inspecting;
    expect(await inspect(place('after.jpg', readRealFile('upright.jpg')), ann)).toMatchObject({ kind: 'accepted' });
  });

  it('end an inspection early where its caller allows less time', async () => {
    const { inspect } = open();

    const slow = place('short.pdf', makeSlowPdf());
    const going = new AbortController();
    await expect(inspect(slow, ann, { withinMs: 300, signal: going.signal })).rejects.toThrow(InspectionAborted);
    // No process is ready, so the inspection is interrupted while a process starts.
    const inspecting = inspect(slow, ann, { withinMs: 60_000, signal: going.signal });
    going.abort(new InspectionAborted('Another agent waits.'));
    await expect(inspecting).rejects.toThrow('Another agent waits.');
  });

  it('reuse the process of an image only for the next image of the same agent', async () => {
    const { inspect } = open();
    const photograph = await sharp({ create: { width: 5_000, height: 4_000, channels: 3, background: '#4477aa' } })
      .jpeg()
      .toBuffer();
    const inspectFile = async (name: string, ownerId: string) =>
      expect(await inspect(place(name, photograph), ownerId)).toMatchObject({ kind: 'accepted' });
    await inspectFile('first.jpg', ann);
    // The process that inspected the file, and the one that was started for the next file.
    const [kept = ''] = await children(2);
    const afterFirst = readProcessorTicks(kept);
    await inspectFile('next.jpg', ann);
    const afterNext = readProcessorTicks(kept);
    expect(afterNext).toBeGreaterThan(afterFirst + 1);
    await inspectFile('other.jpg', bob);
    expect(readProcessorTicks(kept)).toBeLessThanOrEqual(afterNext + 1);
  });

  it('trust a used process only when it accepts a file', async () => {
    const { inspect } = open();
    const inspectFile = async (name: string, bytes: Uint8Array) => await inspect(place(name, bytes), ann);
    expect(await inspectFile('fine.jpg', readRealFile('upright.jpg'))).toMatchObject({ kind: 'accepted' });
    expect(await inspectFile('pdf.jpg', readRealFile('pdftex.pdf'))).toMatchObject({ kind: 'accepted', pageCount: 38 });
    expect(await inspectFile('again.jpg', readRealFile('upright.jpg'))).toMatchObject({ kind: 'accepted' });
    expect(await inspectFile('cut.jpg', readRealFile('upright.jpg').subarray(0, -20))).toMatchObject({
      fault: 'broken',
    });
  });

  it('stop a process that has worked for long or that uses much memory', async () => {
    for (const spent of [{ workMaxMs: 0 }, { leftoverMaxBytes: 1 }]) {
      const { inspect, close } = open({ ...patient, ...spent });
      await inspect(place('one.jpg', readRealFile('upright.jpg')), ann);
      const [fresh] = await children(1);
      await inspect(place('two.jpg', readRealFile('upright.jpg')), ann);
      await vi.waitFor(async () => expect(await children(1)).not.toContain(fresh), 120_000);
      await close();
    }
  });

  it('keep a fresh process for the next agent, and end the oldest that waits for one agent', async () => {
    const { expect: prepare, inspect } = open();
    const counts = { [ann]: 2, [bob]: 3, cid: 3 };
    const seen: (readonly string[])[] = [];
    for (const [name, count] of Object.entries(counts)) {
      await inspect(place(`${name}.jpg`, readRealFile('upright.jpg')), name);
      // After the verdict, the pool decides whether to keep the process, and starts the next one.
      await wait(1_000);
      seen.push(await children(count));
    }
    const [oldest = ''] = seen[0] ?? [];
    expect(seen[1]).toContain(oldest);
    expect(seen[2]).not.toContain(oldest);
    prepare('dan');
    await wait(1_000);
    expect(await children(3)).toEqual(seen[2]);
  });

  it('start processes for the files of waiting agents beside the inspections of others, and not too many', async () => {
    const { expect: prepare, inspect, close } = open();
    for (const name of [ann, bob, 'cid', 'dan', 'eve']) prepare(name);
    const first = await children(2);
    const inspecting = [ann, bob].map((name) =>
      expect(inspect(place(`${name}.pdf`, makeSlowPdf()), name)).rejects.toThrow(InspectorUnavailable),
    );
    expect(await children(4)).toEqual(expect.arrayContaining([...first]));
    await close();
    await Promise.all(inspecting);
  });

  it('start only one process ahead for agents whose files do not arrive', async () => {
    const { expect: prepare, inspect } = open();
    for (const name of [ann, bob, 'cid']) prepare(name);
    const started = await children(2);
    expected = [];
    await inspect(place('one.jpg', readRealFile('upright.jpg')), 'dan');
    await wait(1_000);

    // The process that inspected the file, and one of the two that were started earlier.
    expect(await children(2)).toEqual(started);
  });

  it('continue when a supervisor signals every process of the server', async () => {
    const { expect: prepare, inspect } = open();
    prepare(ann);
    const [pid = ''] = await children(1);
    const others = [...findOwnLaunchers(), ...findLaunchedProcesses()].map(String);
    await vi.waitFor(() => expect(handlesSighup(pid)).toBe(true), 120_000);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      for (const each of new Set([...others, pid])) process.kill(Number(each), signal);
    expect(await inspect(place('signalled.jpg', readRealFile('upright.jpg')), ann)).toMatchObject({ kind: 'accepted' });
    expect(await children(2)).toContain(pid);
  });

  it('leave no process behind', async () => {
    const { expect: prepare, inspect, close } = open();
    prepare(ann);
    const inspecting = expect(inspect(place('left.pdf', makeSlowPdf()), ann)).rejects.toThrow(InspectorUnavailable);
    await close();

    await inspecting;
    expect(await children(0)).toEqual([]);
  });
});
