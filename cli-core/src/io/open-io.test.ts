import { PassThrough, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { Interruption } from '../errors/failure.ts';
import { openIo, type ProcessStreams } from './open-io.ts';

function open(streams: { stdout?: ProcessStreams['stdout'] } = {}, signal = new AbortController().signal) {
  const all = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough(), ...streams };
  const io = openIo(all, { env: {}, homeFolder: '/', nodeVersion: '24.0.0', now: () => new Date(), signal });
  return { io, ...all };
}

it('reads stdin to its end, even if a character is split between chunks', async () => {
  const { io, stdin } = open();
  const bytes = Buffer.from('grüße');

  stdin.write(bytes.subarray(0, 3));
  stdin.end(bytes.subarray(3));

  expect(await io.stdin.readAll(100)).toBe('grüße');
});

it('rejects stdin above the size limit', async () => {
  const { io, stdin } = open();
  stdin.end('x'.repeat(101));

  await expect(io.stdin.readAll(100)).rejects.toMatchObject({ code: 'usage' });
});

it('reads one line, and undefined at the end of the stream', async () => {
  const typed = open();
  typed.stdin.write('alice\nmore');
  expect(await typed.io.stdin.readLine()).toBe('alice');

  const ended = open();
  ended.stdin.end();
  expect(await ended.io.stdin.readLine()).toBeUndefined();
});

it('reads a secret without showing it; Ctrl-C interrupts', async () => {
  const stdout = new PassThrough();
  const { io, stdin } = open({ stdout });
  const typed = io.stdin.readSecret();
  stdin.write('secx\u007fret\r');
  expect(await typed).toBe('secret');
  expect(stdout.readableLength).toBe(0);

  const interrupted = io.stdin.readSecret();
  stdin.write('\u0003');
  await expect(interrupted).rejects.toBeInstanceOf(Interruption);
});

it('stops reading on an interruption', async () => {
  const controller = new AbortController();
  const { io, stdin } = open({}, controller.signal);
  const reading = io.stdin.readAll(100);

  controller.abort(new Interruption());

  await expect(reading).rejects.toBeInstanceOf(Interruption);
  expect(stdin.destroyed).toBe(true);
});

it('continues without an error after its output is closed', async () => {
  const written: string[] = [];
  const stdout = new Writable({
    write(chunk, _, done) {
      written.push(String(chunk));
      done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    },
  });
  const { io } = open({ stdout });

  io.stdout.write('one');
  await new Promise((resolve) => stdout.once('close', resolve));
  io.stdout.write('two');

  expect(written).toEqual(['one']);
});

it('assumes 80 columns for a terminal without a size', () => {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 0 });
  const { io } = open({ stdout });

  expect(io.stdout).toMatchObject({ isTerminal: true, columns: 80 });
  expect(io.stderr.isTerminal).toBe(false);
});
