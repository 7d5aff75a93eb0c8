import { fileURLToPath } from 'node:url';
import { AgentPlatform, memoryCredentials } from '@agent-platform/sdk';
import { request, fetch as undiciFetch } from 'undici';
import { takeRounds, toFigures } from '../figures/rounds.ts';
import { connections } from '../load/load.ts';
import { startProcess } from '../load/server-process.ts';
import type { Measure } from '../measure.ts';

const server = fileURLToPath(import.meta.resolve('../bare/answering-server.ts'));
const token = `apt_${'a'.repeat(43)}`;

/** A call of the SDK, against the HTTP clients that it could have been written with, each parsing the same JSON. */
export const client: Measure = {
  name: 'client',
  title: 'processor time of a call of the SDK, against undici’s request and fetch with the JSON parsed',
  take: async (run) => {
    const { url } = await startProcess(run, server, {});
    const ways = makeWays(url);
    const [count, times] = run.quick ? [1, 100] : [15, 8_000];
    const sides = {
      sdk: () => processorUs(ways.sdk, times),
      request: () => processorUs(ways.request, times),
      fetch: () => processorUs(ways.fetch, times),
    };
    // Two rounds to warm all of them up, which are not counted.
    await takeRounds(2, sides);
    return toFigures(await takeRounds(count, sides), [
      ['SDK, divided by request', (round) => round.sdk / round.request, '', { below: 2 }],
      ['SDK, divided by fetch', (round) => round.sdk / round.fetch, '', { below: 1 }],
      ['SDK', (round) => round.sdk, 'µs/call'],
      ['request', (round) => round.request, 'µs/call'],
      ['fetch', (round) => round.fetch, 'µs/call'],
    ]);
  },
};

function makeWays(url: string) {
  const key = `${'A'.repeat(43)}=`;
  const credentials = memoryCredentials({
    ...{ origin: url, bot_id: '01931f6e-0000-7000-8000-000000000001', handle: 'measured', token },
    ...{ token_expires_at: null, encryption_public_key: key, encryption_secret_key: key },
  });
  const platform = new AgentPlatform({ baseUrl: url, credentials });
  const path = `${url}/api/v1/bots/me`;
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
  return {
    sdk: () => platform.bots.me(),
    request: async () => await (await request(path, { headers })).body.json(),
    fetch: async () => await (await undiciFetch(path, { headers })).json(),
  };
}

/** The processor time of this process for one call, with as many under way as a load has connections. */
async function processorUs(call: () => Promise<unknown>, times: number): Promise<number> {
  let left = times;
  const before = process.cpuUsage();
  const keepCalling = async () => {
    for (; left > 0; left -= 1) await call();
  };
  await Promise.all(Array.from({ length: connections }, keepCalling));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}
