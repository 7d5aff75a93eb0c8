import { setTimeout as wait } from 'node:timers/promises';
import { measureWork } from '../load/measured-load.ts';
import { type ServerProcess, startServer, startServerProgram } from '../load/server-process.ts';
import type { Measure } from '../measure.ts';
import { measureRounds, toFigures } from '../rounds.ts';
import { withDatabase } from '../scenarios/database.ts';
import { baselineProgramPath } from '../scenarios/platform.ts';
import { insertAgentsWithEvents, runStorm } from '../scenarios/storm.ts';

export const stormMeasure: Measure = {
  name: 'storm',
  title: 'a storm of 2,000 event connections, until each agent has the event that waits for it',
  baseline: 'a WebSocket server with one prepared statement for each connection: whose token, which events',
  leavesOut: 'limits of connections, the second check of the token, acks, what other processes have to know',
  take: async (run) => {
    const server = await startServer(run, { PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '0' });
    const least = await startServerProgram(run, baselineProgramPath, { DATABASE_URL: server.databaseUrl });
    const databasePid = await run.databasePid();
    const tokens = await withDatabase(server, (database) => insertAgentsWithEvents(database, run.quick ? 200 : 2_000));
    const take = async ({ pid, url }: ServerProcess) => {
      const taken = await measureWork({ serverPids: [pid], databasePid }, () => runStorm(url, tokens));
      // Gives the server time to close the connections before the next storm.
      await wait(run.quick ? 100 : 2_000);
      return taken;
    };
    const sides = { least: () => take(least), own: () => take(server) };
    if (!run.quick) await measureRounds(1, sides);
    const rounds = await measureRounds(run.quick ? 1 : 5, sides);
    for (const { own, least: bare } of rounds)
      run.say(`${own.ms.toFixed(0)} ms with ${own.refused} refusals, least ${bare.ms.toFixed(0)} ms`);
    return toFigures(rounds, [
      ['time by that of the baseline', (round) => round.own.ms / round.least.ms, '', { below: 2 }],
      ['let in at once', ({ own }) => 100 * (1 - own.refused / own.count), '%', { atLeast: 100 }],
      ['server', (round) => round.own.ms, 'ms'],
      ['least', (round) => round.least.ms, 'ms'],
      ['server, processor of server', (round) => round.own.serverUs, 'µs'],
      ['server, processor of database', (round) => round.own.databaseUs, 'µs'],
      ['least, processor of server', (round) => round.least.serverUs, 'µs'],
      ['least, processor of database', (round) => round.least.databaseUs, 'µs'],
    ]).filter(({ value }) => !Number.isNaN(value));
  },
};
