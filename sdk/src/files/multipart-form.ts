import type { FormBody } from '../transport/transport.ts';
import type { ReadableSource } from './upload-source.ts';

/** The progress of an upload. */
export interface UploadProgress {
  /** The number of bytes of the file that were sent; returns to 0 when the upload is retried. */
  readonly sentBytes: number;
  readonly totalBytes: number;
}

const encoder = new TextEncoder();

/**
 * Builds the form of an upload. The fields come before the file, because the server needs the purpose first; the file
 * is read while it is being sent.
 */
export function createUploadForm(
  fields: Readonly<Record<string, string>>,
  filename: string,
  source: ReadableSource,
  onProgress: (progress: UploadProgress) => void,
): FormBody {
  const boundary = `agent-platform-${crypto.randomUUID()}`;
  const head = encoder.encode(
    [
      ...Object.entries(fields).map(([name, value]) => part(boundary, `name="${name}"`, value)),
      part(boundary, `name="file"; filename="${quoted(filename)}"`, '', 'application/octet-stream').slice(0, -2),
    ].join(''),
  );
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    open: () => toStream(chunks(head, source, tail, onProgress)),
  };
}

function part(boundary: string, names: string, value: string, type?: string): string {
  const typed = type === undefined ? '' : `content-type: ${type}\r\n`;
  return `--${boundary}\r\ncontent-disposition: form-data; ${names}\r\n${typed}\r\n${value}\r\n`;
}

// Escapes the name as browsers do; a line break would end the header.
function quoted(filename: string): string {
  return filename.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

// Used instead of `ReadableStream.from`, which not every browser has.
function toStream(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await pieces.return(undefined)),
    },
    { highWaterMark: 0 },
  );
}

async function* chunks(
  head: Uint8Array,
  source: ReadableSource,
  tail: Uint8Array,
  onProgress: (progress: UploadProgress) => void,
): AsyncGenerator<Uint8Array> {
  let sentBytes = 0;
  onProgress({ sentBytes, totalBytes: source.bytes });
  yield head;
  for await (const chunk of source.read()) {
    yield chunk;
    sentBytes += chunk.length;
    onProgress({ sentBytes, totalBytes: source.bytes });
  }
  yield tail;
}
