import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BackgroundStream, makeBackgroundStream, makeLogger } from './logger.ts';

let folder: string;
let fileDescriptor: number;
let background: BackgroundStream;

beforeEach(() => {
  folder = makeTestFolder();
  fileDescriptor = openSync(join(folder, 'log'), 'a');
  background = makeBackgroundStream(fileDescriptor);
});

afterEach(() => {
  background.finish(1_000);
});

const written = () => readFileSync(join(folder, 'log'), 'utf8').split('\n').slice(0, -1);
const log = () => makeLogger('info', { stream: background.stream, isTerminal: false });

describe('lines written in the background', () => {
  it('arrive in order and complete, even if they are many and long', async () => {
    const logger = log();
    const texts = Array.from({ length: 3_000 }, (_, index) => `${index} ${'ä'.repeat(index % 50)}`);
    for (const text of texts) logger.info(text);
    logger.info('z'.repeat(100_000));

    await expect.poll(() => written().length).toBe(3_001);
    const found = written().map((line) => (JSON.parse(line) as { readonly msg: string }).msg);
    expect(found).toEqual([...texts, 'z'.repeat(100_000)]);
  });

  it('arrive even if no line follows them', async () => {
    log().info('alone');

    await expect.poll(() => written().length).toBe(1);
  });

  it('are written when the stream is finished, and immediately after a fatal one', () => {
    const logger = log();
    logger.info('before');
    logger.fatal('the end');
    expect(written()).toHaveLength(2);
    logger.info('after all');
    background.finish(1_000);

    expect(written()).toHaveLength(3);
  });
});
