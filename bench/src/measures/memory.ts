import { runLoad } from '../load/load.ts';
import { readResidentBytes } from '../load/process-figures.ts';
import { type ServerProcess, startServer } from '../load/server-process.ts';
import type { Figure, Measure } from '../measure.ts';
import type { BenchRun } from '../run.ts';
import { registerAgent } from '../scenarios/agents.ts';
import { sendRequest } from '../scenarios/send.ts';

const mebibyte = 1024 * 1024;
const path = '/api/v1/bots/me';

export const memoryMeasure: Measure = {
  name: 'memory',
  title: 'resident memory of the server process after reading the own passport again and again',
  take: async (run) => {
    const withPostgres = await takeOne(run, await startServer(run), 'PostgreSQL');
    // Creating an embedded database takes seconds, and a quick run already does so for `embedded`.
    if (run.quick) return [withPostgres];
    const embedded = await startServer(run, { PLATFORM_DATA_DIR: run.freshFolder() });
    return [withPostgres, await takeOne(run, embedded, 'embedded')];
  },
};

async function takeOne(run: BenchRun, { url, pid, stop }: ServerProcess, database: string): Promise<Figure> {
  const requests = run.quick ? 200 : 10_000;
  const { token } = await registerAgent(url, 'measured');
  const bodyBytes = Buffer.byteLength(await sendRequest(url, path, token));
  const before = readResidentBytes(pid);
  await runLoad({ url, path, headers: { authorization: `Bearer ${token}` }, bodyBytes }, { requests });
  const after = readResidentBytes(pid);
  await stop();
  run.say(`${database}: ${(before / mebibyte).toFixed(0)} MiB before, ${(after / mebibyte).toFixed(0)} MiB after`);
  return { name: `after ${requests} requests, ${database}`, value: after / mebibyte, unit: 'MiB' };
}
