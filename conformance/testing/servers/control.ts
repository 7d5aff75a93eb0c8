import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('operate-server.mjs', import.meta.url));

/** What an operator can do to a server of these tests. */
export interface Operated {
  grant(bot: string, amountMinor: number): void;
  suspend(bot: string): void;
  advance(seconds: number): void;
}

/** Lets hooks of the suite operate a server of this process, on a port of its own. */
export async function openControl(operated: Operated) {
  const http = createServer((request, response) => {
    const [act, ...words] = (request.url ?? '').slice(1).split('/');
    if (act === 'grant') operated.grant(words[0] ?? '', Number(words[1]));
    else if (act === 'advance') operated.advance(Number(words[0]));
    else if (act === 'suspend') operated.suspend(words[0] ?? '');
    response.writeHead(['grant', 'advance', 'suspend'].includes(act ?? '') ? 204 : 404).end();
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const operate = `'${process.execPath}' '${program}' ${(http.address() as AddressInfo).port}`;
  return {
    hooks: {
      grant: `${operate} grant {bot_id} {amount_minor}`,
      clock: `${operate} advance {seconds}`,
      suspend: `${operate} suspend {bot_id}`,
    },
    close: () => new Promise((resolve) => http.close(resolve)),
  };
}
