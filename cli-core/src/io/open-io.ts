import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import { Interruption } from '../errors/failure.ts';
import type { InputStream, Io, OutputStream } from './io.ts';
import { LineEditor, readLines } from './line-editor.ts';
import { readAll } from './read-all.ts';

export interface ProcessStreams {
  readonly stdin: Readable & Partial<Pick<ReadStream, 'isTTY'>>;
  readonly stdout: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;
  readonly stderr: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;
}

const columnsDefault = 80;

export function openIo(streams: ProcessStreams, rest: Omit<Io, 'stdin' | 'stdout' | 'stderr'>): Io {
  const editor = new LineEditor();
  return {
    stdin: openKeyboard(streams, rest.signal, editor),
    stdout: openScreen(streams.stdout, editor),
    stderr: openScreen(streams.stderr, editor),
    ...rest,
  };
}

function openScreen(stream: ProcessStreams['stdout'], editor: LineEditor): OutputStream {
  let failure: NodeJS.ErrnoException | undefined;
  let written = Promise.resolve();
  // The reader may close the pipe early (`agentp … | head -1`), or the disk may be full.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    failure ??= error;
  });
  const writeNow = (text: string): void => {
    const { promise, resolve } = Promise.withResolvers<void>();
    written = promise;
    stream.write(text, (error) => {
      failure ??= error ?? undefined;
      resolve();
    });
  };
  const write = (text: string): void => {
    if (failure !== undefined) return;
    if (stream.isTTY === true) editor.above(() => writeNow(text));
    else writeNow(text);
  };
  return {
    isTerminal: stream.isTTY === true,
    // A pseudo terminal without a size reports 0 columns.
    columns: stream.columns === undefined || stream.columns === 0 ? columnsDefault : stream.columns,
    write,
    ask: write,
    flush: async () => {
      await written;
      if (failure !== undefined && failure.code !== 'EPIPE') throw failure;
      return failure === undefined;
    },
  };
}

function openKeyboard({ stdin: stream, stdout }: ProcessStreams, signal: AbortSignal, editor: LineEditor): InputStream {
  return {
    isTerminal: stream.isTTY === true,
    readAll: (maxBytes) => unlessAborted(signal, stream, readAll(stream, maxBytes, 'stdin')),
    readLine: () => unlessAborted(signal, stream, readLine(stream)),
    readSecret: () => unlessAborted(signal, stream, readLine(stream, true)),
    lines: (prompt, until) => {
      const either = AbortSignal.any([signal, until]);
      return stream.isTTY === true && stdout.isTTY === true
        ? editor.read(stream, stdout, prompt, either)
        : readLines(stream, either);
    },
  };
}

async function readLine(stream: Readable, isSecret = false): Promise<string | undefined> {
  const lines = createInterface({ input: stream, ...(isSecret ? invisible() : {}) });
  try {
    const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
    lines.once('line', resolve);
    lines.once('close', () => resolve(undefined));
    // In raw mode, Ctrl-C is a key press, not a signal.
    lines.once('SIGINT', () => reject(new Interruption()));
    return await promise;
  } finally {
    // An open terminal would keep the process alive, and an iterator over the lines would not close it.
    lines.close();
  }
}

// The output of the line editor is discarded, so that it does not show the typed text.
function invisible() {
  return { output: new Writable({ write: (_chunk, _encoding, done) => done() }), terminal: true, historySize: 0 };
}

// After an interruption the input is closed, because it would keep the process alive.
async function unlessAborted<T>(signal: AbortSignal, stream: Readable, reading: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => {
    reject(signal.reason);
    stream.destroy();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  // The promise is raced below; this catch only prevents an unhandled rejection.
  reading.catch(() => undefined);
  try {
    return await Promise.race([reading, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
