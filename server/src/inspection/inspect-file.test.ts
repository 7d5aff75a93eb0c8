import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { gif, heic, makeAnimatedPng, makePng, makePngChunk, svg, tiff, webp } from '../../testing/files/image-maker.ts';
import { makePdf } from '../../testing/files/pdf-maker.ts';
import { readRealFile } from '../../testing/files/real-files.ts';
import { inspectFile } from './inspect-file.ts';
import type { FileVerdict } from './parse-verdict.ts';
import { mediaTypes } from './verdict.ts';

const folder = makeTestFolder();

let count = 0;
async function inspect(bytes: Uint8Array): Promise<{ verdict: FileVerdict; preview: string }> {
  count += 1;
  const file = join(folder, `${count}`);
  writeFileSync(file, bytes);
  const preview = `${file}.jpg`;
  const limits = { imageMaxPixels: 20_000_000, pdfMaxPages: 200 };
  const previews = { previewMaxPixelsPerSide: 1_280, previewMaxBytes: 1_048_576 };
  const verdict = await inspectFile({ file, fileBytes: bytes.length, accepts: mediaTypes, ...limits, ...previews });
  if (verdict.kind === 'accepted') writeFileSync(preview, verdict.preview.jpeg);
  return { verdict, preview };
}

async function faultOf(bytes: Uint8Array): Promise<string> {
  const { verdict } = await inspect(bytes);
  return verdict.kind === 'refused' ? verdict.fault : 'accepted';
}

/** Returns the pixels of a reduced image as RGB rows, so that images can be compared. */
async function readPixels(path: string, side = 16): Promise<Buffer> {
  const resized = sharp(readFileSync(path)).resize(side, side, { fit: 'fill' }).toColourspace('srgb').removeAlpha();
  return await resized.raw().toBuffer();
}

function distance(one: Buffer, other: Buffer): number {
  return one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / one.length;
}

describe('a picture from another program', () => {
  it.each([
    ['upright.jpg', 40, 80],
    ['turned-right.jpg', 40, 80],
    ['panorama-with-gps.jpg', 205, 102],
    ['cmyk.jpg', 150, 103],
    ['progressive.jpg', 150, 103],
    ['16-bit.png', 32, 32],
    ['16-bit-alpha.png', 32, 32],
    ['interlaced.png', 256, 256],
  ])('is accepted: %s', async (name, width, height) => {
    const { verdict, preview } = await inspect(readRealFile(name));

    expect(verdict).toMatchObject({ kind: 'accepted', width, height, pageCount: null, preview: { width, height } });
    const metadata = await sharp(readFileSync(preview)).metadata();
    expect(metadata).toMatchObject({ format: 'jpeg', space: 'srgb', width, height });
    for (const trace of ['exif', 'icc', 'xmp', 'iptc', 'orientation'] as const) expect(metadata[trace]).toBeUndefined();
  });

  it.each(['turned-right.jpg', 'turned-left.jpg', 'mirrored.jpg'])('stands upright afterwards: %s', async (name) => {
    const upright = await readPixels((await inspect(readRealFile('upright.jpg'))).preview);
    const turned = await readPixels((await inspect(readRealFile(name))).preview);

    expect(distance(turned, upright)).toBeLessThan(6);
  });

  it('keeps its colours when it is sent in CMYK', async () => {
    const cmyk = await readPixels((await inspect(readRealFile('cmyk.jpg'))).preview);
    const original = await readPixels((await inspect(readRealFile('same-as-cmyk.jpg'))).preview);

    const inverted = original.map((value) => 255 - value);

    expect(distance(cmyk, original)).toBeLessThan(40);
    expect(distance(cmyk, Buffer.from(inverted))).toBeGreaterThan(80);
  });

  it('has a preview without its GPS position', async () => {
    const { preview } = await inspect(readRealFile('panorama-with-gps.jpg'));

    expect((await sharp(readRealFile('panorama-with-gps.jpg')).metadata()).exif).toBeDefined();
    expect((await readFile(preview)).includes('Exif')).toBe(false);
  });
});

describe('a PDF from another program', () => {
  it.each([
    ['r-plots.pdf', 5],
    ['pdftex.pdf', 38],
    ['tcpdf.pdf', 2],
  ])('is accepted: %s', async (name, pageCount) => {
    const { verdict, preview } = await inspect(readRealFile(name));

    expect(verdict).toMatchObject({ kind: 'accepted', mediaType: 'application/pdf', width: null, pageCount });
    const { width, height } = await sharp(readFileSync(preview)).metadata();
    expect(Math.max(width, height)).toBe(1_280);
  });

  it.each([
    ['a line feed', '\n'],
    ['white space', ' \t\r\n\f\0'],
    ['a byte order mark', '\xef\xbb\xbf'],
    ['text of a program', 'GPL Ghostscript 10.02.0\nProcessing pages 1 through 8.\n'],
    ['a print job', '\x1b%-12345X@PJL JOB\r\n@PJL ENTER LANGUAGE = PDF\r\n'],
    ['a MacBinary header', `\0\x09notes.pdf${'\0'.repeat(54)}PDF CARO${'\0'.repeat(55)}`],
    ['1023 bytes', '\n'.repeat(1_023)],
  ])('is accepted behind %s', async (_what, lead) => {
    const { verdict } = await inspect(Buffer.concat([Buffer.from(lead, 'latin1'), makePdf()]));

    expect(verdict).toMatchObject({ kind: 'accepted', pageCount: 1 });
  });

  it('has a preview that shows its first page', async () => {
    const { preview } = await inspect(readRealFile('tcpdf.pdf'));
    const shades = new Set(await readPixels(preview, 64));

    expect(shades.size).toBeGreaterThan(50);
  });
});

describe('a picture at its limits', () => {
  it('may have 20 million pixels and not one more', async () => {
    expect(await faultOf(makePng(5_000, 4_000))).toBe('accepted');
    expect(await faultOf(makePng(5_001, 4_000))).toBe('too_many_pixels');
    expect(await faultOf(makePng(65_500, 65_500 / 100))).toBe('too_many_pixels');
  });

  it('is scaled to 1280 pixels on its longer side, and never up', async () => {
    const { verdict } = await inspect(makePng(4_000, 1_000));

    expect(verdict).toMatchObject({ width: 4_000, height: 1_000, preview: { width: 1_280, height: 320 } });
  });

  it('has a preview of at most 1 MiB, however detailed it is', async () => {
    const noise = Buffer.from(Array.from({ length: 1_280 * 1_280 * 3 }, () => Math.random() * 256));
    const raw = { width: 1_280, height: 1_280, channels: 3 } as const;
    const path = join(folder, 'noise.png');
    await sharp(noise, { raw }).png({ compressionLevel: 1 }).toFile(path);
    const { verdict, preview } = await inspect(await readFile(path));

    expect(verdict.kind).toBe('accepted');
    expect((await readFile(preview)).length).toBeLessThanOrEqual(1_048_576);
  });
});

describe('a file that is neither a still picture nor a PDF', () => {
  it.each([
    ['a GIF', gif],
    ['a WebP', webp],
    ['an SVG', svg],
    ['a TIFF', tiff],
    ['a HEIC', heic],
    ['a text', Buffer.from('hello')],
    ['a PDF behind more than 1024 bytes', Buffer.concat([Buffer.alloc(1_024, 10), makePdf()])],
    ['nothing', Buffer.alloc(0)],
  ])('is refused: %s', async (_what, bytes) => {
    expect(await faultOf(bytes)).toBe('unknown_format');
  });

  const text = (bytes: Buffer) => bytes.toString('latin1');
  const programs = ['\x7fELF', 'MZ', '#!/bin/sh\n'];
  const pages = [' \n\t<!doctype html>', '\xef\xbb\xbf<?xml?>', '\xff\xfe<\0', text(svg)];
  const containers = ['PK\x03\x04', '\0\0\0\x18ftypmp42', ...[gif, webp, tiff, heic].map(text)];
  it.each([...programs, ...pages, ...containers])('is refused where a PDF follows the start %j', async (start) => {
    expect(await faultOf(Buffer.concat([Buffer.from(start, 'latin1'), makePdf()]))).toBe('unknown_format');
  });

  it.each([
    ['GIF', gif],
    ['WebP', webp],
    ['SVG', svg],
    ['PDF', makePdf()],
  ])('is refused when it pretends to be a JPEG or PNG: %s', async (_what, bytes) => {
    expect(await faultOf(Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), bytes]))).toBe('broken');
    expect(await faultOf(Buffer.concat([makePng(1, 1).subarray(0, 8), bytes]))).toBe('broken');
  });
});

describe('a damaged or lying picture', () => {
  const jpeg = readRealFile('same-as-cmyk.jpg');
  const png = readRealFile('interlaced.png');

  it.each([0.2, 0.5, 0.9, 0.99])('is refused when it is cut at %d of its length', async (part) => {
    for (const bytes of [jpeg, png]) expect(await faultOf(bytes.subarray(0, bytes.length * part))).toBe('broken');
  });

  it('is refused if its end is forged', async () => {
    const cut = Buffer.concat([jpeg.subarray(0, jpeg.length / 2), Buffer.from([0xff, 0xd9])]);

    expect(await faultOf(cut)).toBe('broken');
  });

  it('is refused if a checksum is wrong', async () => {
    const bytes = Buffer.from(png);
    bytes[1_000] = (bytes[1_000] ?? 0) ^ 0xff;

    expect(await faultOf(bytes)).toBe('broken');
  });

  it('is refused if it is animated', async () => {
    expect(await faultOf(makePng(4, 4))).toBe('accepted');
    expect(await faultOf(makeAnimatedPng())).toBe('animated');
    expect(await faultOf(makePng(4, 4, [makePngChunk('fcTL', Buffer.alloc(26))]))).toBe('animated');
  });
});

/** Inserts bytes before the first segment of a JPEG. */
function insertIntoJpeg(jpeg: Buffer, ...inserted: readonly (string | number[] | Buffer)[]): Buffer {
  const parts = inserted.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part)));
  return Buffer.concat([jpeg.subarray(0, 2), ...parts, jpeg.subarray(2)]);
}

function jpegSegment(marker: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 255]), content]);
}

describe('what follows a picture', () => {
  const jpeg = readRealFile('same-as-cmyk.jpg');
  const thumbnail = Buffer.concat([Buffer.from('Exif\0\0'), readRealFile('upright.jpg').subarray(0, 30_000)]);
  const end = Buffer.from([0xff, 0xd9]);
  const pictures = [
    ['a JPEG', jpeg],
    ['a progressive JPEG', readRealFile('progressive.jpg')],
    ['a PNG', readRealFile('interlaced.png')],
    ['a JPEG with an end marker in a comment', insertIntoJpeg(jpeg, jpegSegment(0xfe, end))],
    ['a JPEG with a thumbnail', insertIntoJpeg(jpeg, jpegSegment(0xe1, Buffer.concat([thumbnail, end])))],
    ['a JPEG with fill bytes before its end', Buffer.concat([jpeg.subarray(0, -2), Buffer.alloc(700, 0xff), end])],
  ] as const;
  const trailers = [
    '\0',
    '\xff'.repeat(493),
    'PK\x03\x04<script>',
    '\0\0\0\x18ftypmp42',
    jpeg,
    readRealFile('interlaced.png'),
  ];

  it.each(pictures)('is not kept: behind %s', async (_what, picture) => {
    for (const trailer of [...trailers, end]) {
      const { verdict } = await inspect(Buffer.concat([picture, Buffer.from(trailer as string, 'latin1')]));
      expect(verdict).toMatchObject({ kind: 'accepted', keptBytes: picture.length });
    }
  });

  it('does not complete a cut picture', async () => {
    for (const cut of [jpeg.subarray(0, -2), jpeg.subarray(0, jpeg.length / 2)])
      for (const trailer of [jpeg, end]) {
        const bytes = Buffer.concat([cut, trailer]);
        if (bytes.length !== jpeg.length) expect(await faultOf(bytes)).toBe('broken');
      }
  });
});

describe('a fault that costs no pixel', () => {
  const jpeg = readRealFile('same-as-cmyk.jpg');
  const cmyk = readRealFile('cmyk.jpg');
  const png = readRealFile('interlaced.png');

  /** `offset` is relative to the first occurrence of the text. */
  function overwrite(bytes: Buffer, found: string, offset: number, values: readonly number[]): Buffer {
    const copy = Buffer.from(bytes);
    copy.set(values, copy.indexOf(found, 'latin1') + offset);
    return copy;
  }
  const scan = '\xff\xda\0\x0c\x03';
  const jfif = Buffer.from('JFIF\0\x02\0\0\0\x01\0\x01\0\0', 'latin1');
  const badly = (type: string) => makePngChunk(type, Buffer.alloc(6, 'a')).fill(0, 14);
  const withChunk = (chunk: Buffer) => Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]);

  it.each([
    ['spectral limits of zero in a baseline scan', jpeg, overwrite(jpeg, scan, 11, [0, 0, 0])],
    ['an unknown version of JFIF', jpeg, insertIntoJpeg(jpeg, jpegSegment(0xe0, jfif))],
    ['an unknown colour transform', overwrite(cmyk, 'Adobe', 11, [2]), overwrite(cmyk, 'Adobe', 11, [7])],
    ['bytes between two segments', jpeg, insertIntoJpeg(jpeg, jpegSegment(0xfe, jfif), [1, 2, 0xff, 0, 3])],
    ['a restart marker between two segments', jpeg, insertIntoJpeg(jpeg, [0xff, 0xd3])],
    ['a wrong checksum of a text', png, withChunk(badly('tEXt'))],
  ])('is none: %s', async (_what, whole, odd) => {
    expect(odd.equals(whole)).toBe(false);
    const { verdict, preview } = await inspect(odd);

    expect(verdict).toMatchObject({ kind: 'accepted', keptBytes: odd.length });
    expect((await readFile(preview)).equals(await readFile((await inspect(whole)).preview))).toBe(true);
  });

  it('does not hide one that does', async () => {
    const odd = overwrite(jpeg, scan, 11, [0, 0, 0]);
    const hole = Buffer.concat([odd.subarray(0, 8_000), odd.subarray(13_000)]);
    const end = Buffer.from([0xff, 0xd9]);

    for (const bytes of [hole, Buffer.concat([odd.subarray(0, odd.length / 2), end]), withChunk(badly('tRNS'))])
      expect(await faultOf(bytes)).toBe('broken');
  });
});
