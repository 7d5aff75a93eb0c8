import { defaultConnectionCount } from '../load/load.ts';
import { type ComparisonSide, compareLoads } from '../load/measured-load.ts';
import { type ServerProcess, startServer } from '../load/server-process.ts';
import type { Measure } from '../measure.ts';
import { type FriendPair, makeFriends } from '../scenarios/agents.ts';
import { getSharedPlatform } from '../scenarios/platform.ts';
import { makeMessageTarget, makeProfileTarget } from '../scenarios/targets.ts';

const works = [
  { unit: 'reads', toTarget: makeProfileTarget, target: { atLeast: 1 } },
  { unit: 'messages', toTarget: makeMessageTarget, target: { atLeast: 1 } },
] as const;

/** New users start with the embedded database. */
export const embeddedMeasure: Measure = {
  name: 'embedded',
  title: 'reading the own profile and sending a message with the embedded database',
  baseline: 'the same server with PostgreSQL, which syncs each commit to the disk, as the embedded database does not',
  take: async (run) => {
    const platform = await getSharedPlatform(run);
    const server = await startServer(run, { PLATFORM_DATA_DIR: run.freshFolder() });
    const friends = await makeFriends(server.url, defaultConnectionCount);
    const figures = [];
    for (const { unit, toTarget, target } of works) {
      const side = async ({ url, pid }: ServerProcess, pairs: readonly FriendPair[]): Promise<ComparisonSide> => ({
        targets: await Promise.all(pairs.map((pair) => toTarget(url, pair))),
        serverPids: [pid],
      });
      const postgres = { ...(await side(platform.server, platform.friends)), databasePid: platform.databasePid };
      const names = { unit, target, baseline: 'PostgreSQL', side: 'embedded', connections: [defaultConnectionCount] };
      const compared = await compareLoads(run, { own: await side(server, friends), least: postgres }, names);
      figures.push(...compared.map((figure) => ({ ...figure, name: `${unit} ${figure.name}` })));
    }
    return figures;
  },
};
