import { connect } from 'node:net';

/**
 * Sends raw bytes and reads until the server closes the connection or `waitMs` have passed. Each part after the first
 * is only sent after the server has sent something.
 */
export async function sendBytes(url: string, bytes: string | readonly string[], waitMs = 8_000): Promise<string> {
  const { hostname, port } = new URL(url);
  return await new Promise((resolve, reject) => {
    let received = '';
    const parts = [bytes].flat();
    const sendNext = () => {
      const part = parts.shift();
      if (part !== undefined) socket.write(part);
    };
    const socket = connect(Number(port), hostname);
    const timer = setTimeout(() => socket.destroy(), waitMs);
    socket.on('data', (chunk) => {
      received += chunk.toString();
      sendNext();
    });
    socket.on('error', reject);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(received);
    });
    sendNext();
  });
}
