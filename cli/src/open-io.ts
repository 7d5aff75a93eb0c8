import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import { UsageError } from './failure.ts';
import type { Io, Keyboard, Screen } from './io.ts';

/** The streams of a process: a terminal, a pipe or a file each. */
export interface Streams {
  readonly stdin: Readable & Partial<Pick<ReadStream, 'isTTY'>>;
  readonly stdout: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;
  readonly stderr: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;
}

const columnsDefault = 80;

/** Makes the `Io` of a real process. */
export function openIo(streams: Streams, rest: Omit<Io, 'stdin' | 'stdout' | 'stderr'>): Io {
  return {
    stdin: openKeyboard(streams.stdin, rest.signal),
    stdout: openScreen(streams.stdout),
    stderr: openScreen(streams.stderr),
    ...rest,
  };
}

function openScreen(stream: Streams['stdout']): Screen {
  let isClosed = false;
  // Whoever reads may have had enough (`agentp … | head -1`). The work is done
  // all the same and keeps its exit code; there is only nobody to tell.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    isClosed = true;
  });
  return {
    isTerminal: stream.isTTY === true,
    // A pseudo terminal without a size says 0.
    columns: stream.columns === undefined || stream.columns === 0 ? columnsDefault : stream.columns,
    write: (text) => {
      if (!isClosed) stream.write(text);
    },
  };
}

function openKeyboard(stream: Streams['stdin'], signal: AbortSignal): Keyboard {
  return {
    isTerminal: stream.isTTY === true,
    readAll: async (maxBytes) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of stream) {
        const part = Buffer.from(chunk);
        bytes += part.length;
        if (bytes > maxBytes) throw new UsageError(`There is more than ${maxBytes} bytes on stdin.`);
        chunks.push(part);
      }
      return Buffer.concat(chunks).toString('utf8');
    },
    readLine: async () => {
      const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
      try {
        return await new Promise<string | undefined>((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          lines.once('line', resolve);
          lines.once('close', () => resolve(undefined));
        });
      } finally {
        lines.close();
        stream.pause();
      }
    },
  };
}
