import { request } from 'undici';
import { load } from '../load.ts';
import type { Figure, Measure, Run } from '../measure.ts';
import { readResidentBytes } from '../process-figures.ts';
import { registerAgent } from '../registered-agent.ts';
import { referenceServer, startServerProcess } from '../server-process.ts';

const mebibyte = 1024 * 1024;

/** What the process holds after it has worked, with either database. */
export const memory: Measure = {
  name: 'memory',
  title: 'resident memory of the server process after reading the own passport again and again',
  take: async (run) => {
    const withPostgres = await takeOne(run, 'PostgreSQL', { DATABASE_URL: await run.freshDatabase() });
    // The embedded database takes seconds to make, and a quick run has made one already.
    return run.quick ? [withPostgres] : [withPostgres, await takeOne(run, 'embedded', {})];
  },
};

async function takeOne(run: Run, database: string, env: Readonly<Record<string, string>>): Promise<Figure> {
  const requests = run.quick ? 500 : 10_000;
  const folder = run.freshFolder();
  const server = await startServerProcess(referenceServer, folder, {
    PLATFORM_DATA_DIR: folder,
    PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '1000000000',
    ...env,
  });
  try {
    const { token } = await registerAgent(server.url, 'measured');
    const headers = { authorization: `Bearer ${token}` };
    const answer = await request(`${server.url}/api/v1/bots/me`, { headers });
    const bodyBytes = Buffer.byteLength(await answer.body.text());
    const before = readResidentBytes(server.pid);
    await load({ url: server.url, path: '/api/v1/bots/me', headers, bodyBytes }, { requests });
    const after = readResidentBytes(server.pid);
    run.say(`${database}: ${(before / mebibyte).toFixed(0)} MiB at first, ${(after / mebibyte).toFixed(0)} MiB after`);
    return { name: `after ${requests} requests, ${database}`, value: after / mebibyte, unit: 'MiB' };
  } finally {
    await server.stop();
  }
}
