import { connect, type Socket } from 'node:net';

/** The beginning of a form with the boundary `line` that has the file first, and one byte of it. */
export const fileFirst = '--line\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nx';

/** Begins an upload over a connection of its own; `answered` resolves with the answer. */
export function beginUpload(url: string, token: string, body: string): { socket: Socket; answered: Promise<string> } {
  const { hostname, port } = new URL(url);
  const { promise: answered, resolve } = Promise.withResolvers<string>();
  let answer = '';
  const socket = connect(Number(port), hostname)
    .on('error', () => undefined)
    .on('data', (bytes) => {
      answer += bytes.toString();
      // An error ends so; the connection may stay open.
      if (answer.endsWith('}}')) resolve(answer);
    })
    .on('close', () => resolve(answer));
  const head = [
    'POST /api/v1/attachments HTTP/1.1',
    'host: x',
    `authorization: Bearer ${token}`,
    'content-type: multipart/form-data; boundary=line',
    'content-length: 100000',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return { socket, answered };
}
