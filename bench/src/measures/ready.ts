import { summary } from '../figures/statistics.ts';
import { startServer } from '../load/server-process.ts';
import type { Measure } from '../measure.ts';
import type { Run } from '../run.ts';
import { send } from '../scenarios/send.ts';

/** How long a start takes: the first on an empty folder, and those after it. */
export const ready: Measure = {
  name: 'ready',
  title: 'from the spawn of the process to readiness, with the embedded database',
  take: async (run) => {
    const folder = run.freshFolder();
    const first = await start(run, folder);
    const warm: number[] = [];
    for (let number = 1; number <= (run.quick ? 1 : 7); number += 1) {
      warm.push(await start(run, folder));
      run.say(`start ${number}: ${warm.at(-1)?.toFixed(2)} s`);
    }
    return [
      { name: 'to ready, warm folder', ...summary(warm), unit: 's', target: { below: 4 } },
      { name: 'to ready, empty folder', value: first, unit: 's' },
    ];
  },
};

async function start(run: Run, folder: string): Promise<number> {
  const { url, secondsToReady, stop } = await startServer(run, { PLATFORM_DATA_DIR: folder });
  await send(url, '/health/ready');
  await stop();
  return secondsToReady;
}
