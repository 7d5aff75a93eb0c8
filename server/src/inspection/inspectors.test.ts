import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { deflateSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { makePdf } from '../../testing/pdf-maker.ts';
import { realFile } from '../../testing/real-files.ts';
import { makeLogger } from '../platform/logger.ts';
import { InspectorUnavailable, inspectorLimits } from './inspector-process.ts';
import { type Inspectors, makeInspectors } from './inspectors.ts';
import { mediaTypes } from './verdict.ts';

const folder = mkdtempSync(join(tmpdir(), 'inspectors-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let inspectors: Inspectors;
afterEach(async () => await inspectors.close());

const quiet = makeLogger('info', { stream: new PassThrough().resume(), isTerminal: false });
const open = (limits = inspectorLimits) => {
  inspectors = makeInspectors(quiet, limits);
  return inspectors;
};

function place(name: string, bytes: Uint8Array) {
  const file = join(folder, name);
  writeFileSync(file, bytes);
  const limits = { imageMaxPixels: 20_000_000, pdfMaxPages: 200 };
  const previews = { previewMaxPixelsPerSide: 1_280, previewMaxBytes: 1_048_576 };
  return { file, preview: `${file}.jpg`, accepts: mediaTypes, ...limits, ...previews };
}

/** A page that paints a pattern of patterns, each with a thousand copies of the one inside. */
function endlessPdf(): Buffer {
  const pattern = (inner: string) =>
    `<< /Type /XObject /Subtype /Form /BBox [0 0 200 100] /Resources << /XObject << /F ${inner} >> >> /Length 4000 >>\nstream\n${'/F Do '.repeat(660).padEnd(4000)}\nendstream`;
  return makePdf({
    page: '/Contents 10 0 R /Resources << /XObject << /F 11 0 R >> >>',
    objects: [
      '<< /Length 5 >>\nstream\n/F Do\nendstream',
      ...Array.from({ length: 8 }, (_, index) => pattern(`${12 + index} 0 R`)),
      '<< /Type /XObject /Subtype /Form /BBox [0 0 200 100] /Length 13 >>\nstream\n0 0 99 99 re f\nendstream',
    ],
  });
}

/** A small file whose page has a description of 600 MiB. */
function hugePdf(): Buffer {
  const content = deflateSync(Buffer.alloc(600 * 1024 * 1024, ' '), { level: 1 }).toString('latin1');
  const stream = `<< /Filter /FlateDecode /Length ${content.length} >>\nstream\n${content}\nendstream`;
  return makePdf({ page: '/Contents 10 0 R', objects: [stream] });
}

describe('the inspectors', () => {
  it('look at one file each, in processes of their own', async () => {
    const { inspect } = open();
    const [picture, pdf] = await Promise.all([
      inspect(place('a.jpg', realFile('cmyk.jpg'))),
      inspect(place('b.pdf', realFile('pdftex.pdf'))),
    ]);

    expect(picture).toMatchObject({ kind: 'accepted', mediaType: 'image/jpeg' });
    expect(pdf).toMatchObject({ kind: 'accepted', mediaType: 'application/pdf', pageCount: 38 });
  });

  it('give up a file that takes too long, and look at the next one', async () => {
    const { inspect } = open({ ...inspectorLimits, verdictMs: 1_500 });
    const startedAt = performance.now();

    expect(await inspect(place('endless.pdf', endlessPdf()))).toEqual({ kind: 'refused', fault: 'too_costly' });
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    expect(await inspect(place('next.jpg', realFile('upright.jpg')))).toMatchObject({ kind: 'accepted' });
  });

  it('give up a file that takes too much memory', async () => {
    const { inspect } = open({ ...inspectorLimits, memoryMaxBytes: 256 * 1024 * 1024 });

    expect(await inspect(place('huge.pdf', hugePdf()))).toEqual({ kind: 'refused', fault: 'too_costly' });
    expect(await inspect(place('next.pdf', realFile('r-plots.pdf')))).toMatchObject({ kind: 'accepted' });
  }, 60_000);

  it('blame the machine and not the file when they cannot start', async () => {
    const { inspect } = open({ ...inspectorLimits, startMs: 1 });

    await expect(inspect(place('fine.jpg', realFile('upright.jpg')))).rejects.toThrow(InspectorUnavailable);
  });

  it('leave no process behind', async () => {
    const { expect: prepare, inspect, close } = open();
    prepare();
    const looking = inspect(place('left.pdf', endlessPdf()));
    await close();

    await expect(looking).rejects.toThrow(InspectorUnavailable);
    const children = execFileSync('ps', ['--ppid', String(process.pid), '-o', 'args='], { encoding: 'utf8' });
    expect(children).not.toContain('inspector');
  });
});
