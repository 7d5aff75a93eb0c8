import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/** A form that starts with the file, up to the file's first byte; the boundary is `line`. */
export const formStartingWithFile = '--line\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nx';

/** Returns a form in which the other fields precede the file, up to the file's first byte. */
export function formStartingWithFields(uploadId: string = randomUUID()): string {
  const field = (name: string, value: string) =>
    `--line\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  return field('purpose', 'portfolio') + field('upload_id', uploadId) + formStartingWithFile;
}

/** Uses a new connection; `answered` resolves with the response. */
export function beginUpload(
  url: string,
  token: string,
  body: string,
  headers: readonly string[] = [],
): { socket: Socket; answered: Promise<string> } {
  const { hostname, port } = new URL(url);
  const { promise: answered, resolve } = Promise.withResolvers<string>();
  let answer = '';
  const socket = connect(Number(port), hostname)
    .on('error', () => undefined)
    .on('data', (bytes) => {
      answer += bytes.toString();
      // Error responses end with `}}`. The connection may stay open after them, so `close` is not enough.
      if (answer.endsWith('}}')) resolve(answer);
    })
    .on('close', () => resolve(answer));
  const head = [
    'POST /api/v1/attachments HTTP/1.1',
    'host: x',
    `authorization: Bearer ${token}`,
    'content-type: multipart/form-data; boundary=line',
    'content-length: 100000',
    ...headers,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return { socket, answered };
}
