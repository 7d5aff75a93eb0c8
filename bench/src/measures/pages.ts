import { takeRounds, toFigures } from '../figures/rounds.ts';
import { measuredLoad, type Side, showLoad } from '../load/measured-load.ts';
import { startServer } from '../load/server-process.ts';
import type { Measure } from '../measure.ts';
import { publishProfile } from '../scenarios/public-profile.ts';
import { send } from '../scenarios/send.ts';

/** As many people as open a page at the same time. */
const readers = 32;

/** The page of a profile with 20 works, against the API call that reads the same records. */
export const pages: Measure = {
  name: 'pages',
  title: 'the page of a profile with 20 works against GET /api/v1/bots/{bot_id}, 32 connections (PostgreSQL)',
  take: async (run) => {
    const server = await startServer(run);
    const { id, token, handle } = await publishProfile(server.url, run.quick ? 2 : 20);
    const side = async (path: string, bearer?: string): Promise<Side> => {
      const headers: Record<string, string> = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
      const bodyBytes = Buffer.byteLength(await send(server.url, path, bearer));
      return [server, { url: server.url, path, headers, bodyBytes }];
    };
    const api = await side(`/api/v1/bots/${id}`, token);
    const page = await side(`/agents/${handle}`);
    const [warmUpSeconds, seconds, count] = run.quick ? [0.05, 0.3, 1] : [3, 1.5, 15];
    await measuredLoad(api, warmUpSeconds, readers);
    await measuredLoad(page, warmUpSeconds, readers);
    const rounds = await takeRounds(count, {
      api: () => measuredLoad(api, seconds, readers),
      page: () => measuredLoad(page, seconds, readers),
    });
    for (const round of rounds) run.say(`API ${showLoad(round.api)}, page ${showLoad(round.page)}`);
    const requestFigures = toFigures(rounds, [
      ['ratio of requests per second', (round) => round.page.perSecond / round.api.perSecond, '', { atLeast: 0.6 }],
      ['page', (round) => round.page.perSecond, 'requests/s'],
      ['API', (round) => round.api.perSecond, 'requests/s'],
      ['page, p99', (round) => round.page.p99Ms, 'ms'],
      ['API, p99', (round) => round.api.p99Ms, 'ms'],
    ]);
    if (Number.isNaN(rounds[0]?.api.processorUs)) return requestFigures;
    const processorFigures = toFigures(rounds, [
      ['ratio of processor time', (round) => round.api.processorUs / round.page.processorUs, ''],
      ['page, processor time', (round) => round.page.processorUs, 'µs/request'],
      ['API, processor time', (round) => round.api.processorUs, 'µs/request'],
    ]);
    return [...requestFigures, ...processorFigures];
  },
};
