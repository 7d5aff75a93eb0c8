import { request } from 'undici';
import type { Measure } from '../measure.ts';
import { summary } from '../median.ts';
import { referenceServer, type ServerProcess, startServerProcess } from '../server-process.ts';

/** How long a start takes: the first on an empty folder, and those after it. */
export const ready: Measure = {
  name: 'ready',
  title: 'from the spawn of the process to readiness, with the embedded database',
  take: async (run) => {
    const folder = run.freshFolder();
    const first = await start(folder);
    const warm: number[] = [];
    for (let number = 1; number <= (run.quick ? 1 : 7); number += 1) {
      warm.push(await start(folder));
      run.say(`start ${number}: ${warm.at(-1)?.toFixed(2)} s`);
    }
    return [
      { name: 'to ready, warm folder', ...summary(warm), unit: 's', target: { below: 4 } },
      { name: 'to ready, empty folder', value: first, unit: 's' },
    ];
  },
};

async function start(folder: string): Promise<number> {
  const server = await startServerProcess(referenceServer, folder, { PLATFORM_DATA_DIR: folder });
  try {
    await confirm(server);
    return server.secondsToReady;
  } finally {
    await server.stop();
  }
}

async function confirm(server: ServerProcess): Promise<void> {
  const { statusCode, body } = await request(`${server.url}/health/ready`);
  await body.dump();
  if (statusCode !== 200) throw new Error(`A server that said it was ready answered ${statusCode}.`);
}
