import { compareLoads, type Side } from '../../load/measured-load.ts';
import { startServer } from '../../load/server-process.ts';
import type { Measure } from '../../measure.ts';
import { publishProfile } from '../../scenarios/public-profile.ts';
import { send } from '../../scenarios/send.ts';

/** As many people as open a page at the same time. */
const readers = 32;

/** The page of a profile with 20 works, against the API call that reads the same records. */
export const pages: Measure = {
  name: 'pages',
  title: 'the page of a profile with 20 works, over 32 connections',
  baseline: 'the card of the same agent by the API of the same server',
  leavesOut: 'HTML; it reads the token and the relation to the caller in addition',
  take: async (run) => {
    const server = await startServer(run);
    const { id, token, handle } = await publishProfile(server.url, run.quick ? 2 : 20);
    const side = async (path: string, bearer?: string): Promise<Side> => {
      const headers: Record<string, string> = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
      const bodyBytes = Buffer.byteLength(await send(server.url, path, bearer));
      const target = { url: server.url, path, headers, bodyBytes };
      return { targets: [target], serverPids: [server.pid], databasePid: await run.databasePid() };
    };
    const sides = { least: await side(`/api/v1/bots/${id}`, token), own: await side(`/agents/${handle}`) };
    const names = { unit: 'requests', baseline: 'API', side: 'page' };
    return await compareLoads(run, sides, { ...names, target: { atLeast: 0.6 }, connections: [readers] });
  },
};
