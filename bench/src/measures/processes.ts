import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { takeRounds, toFigures } from '../figures/rounds.ts';
import { connections, type Target } from '../load/load.ts';
import { measuredLoad, type Side, showLoad } from '../load/measured-load.ts';
import { type ServerProcess, startProcess, startServer } from '../load/server-process.ts';
import type { Measure } from '../measure.ts';
import type { Run } from '../run.ts';
import { type Friends, makeFriends } from '../scenarios/agents.ts';
import { leastServer, sharedPlatform } from '../scenarios/platform.ts';
import { send } from '../scenarios/send.ts';
import { messageTarget } from '../scenarios/writing-targets.ts';

/** What a request may cost more with several processes on one database than with a single one. */
const goals = { 2: 1.05, 4: 1.15 } as const;

/** The cost of a request when several processes share a database. */
export const processes: Measure = {
  name: 'processes',
  title: 'processor time of a request with two and with four processes on one PostgreSQL, 16 connections in all',
  baseline:
    'the same requests to a single process, on a database of its own; the bare route shows how the machine itself answers more processes',
  take: async (run) => {
    const groups = await startGroups(run);
    const [warmUpSeconds, seconds, count] = run.quick ? [0.05, 0.2, 1] : [3, 2, 9];
    return [
      ...(await takeWork('reading the own profile', 'reads')),
      ...(await takeWork('sending a message', 'messages')),
      ...(await takeWork('the own profile by the bare route', 'bare')),
    ];

    async function takeWork(name: string, work: keyof Group) {
      const target = (below: number) => (work === 'bare' ? undefined : { below });
      const sides = { 1: groups[1][work], 2: groups[2][work], 4: groups[4][work] };
      const take = (side: Side, forSeconds: number) => measuredLoad(side, forSeconds, connections);
      for (const side of Object.values(sides)) await take(side, warmUpSeconds);
      const rounds = await takeRounds(count, {
        one: () => take(sides[1], seconds),
        two: () => take(sides[2], seconds),
        four: () => take(sides[4], seconds),
      });
      for (const { one: single, two, four } of rounds)
        run.say(`${name}: 1 ${showLoad(single)}, 2 ${showLoad(two)}, 4 ${showLoad(four)}`);
      return toFigures(rounds, [
        [`${name}: two by one`, ({ two, one: single }) => two.processorUs / single.processorUs, '', target(goals[2])],
        [
          `${name}: four by one`,
          ({ four, one: single }) => four.processorUs / single.processorUs,
          '',
          target(goals[4]),
        ],
        ...(['one', 'two', 'four'] as const).flatMap((key) => [
          [`${name}: ${key}`, (round: (typeof rounds)[number]) => round[key].perSecond, 'requests/s'] as const,
          [
            `${name}: ${key}, processor of server`,
            (round: (typeof rounds)[number]) => round[key].serverUs,
            'µs',
          ] as const,
          [
            `${name}: ${key}, processor of database`,
            (round: (typeof rounds)[number]) => round[key].databaseUs,
            'µs',
          ] as const,
        ]),
      ]).filter(({ value }) => !Number.isNaN(value));
    }
  },
};

type Group = Record<'reads' | 'messages' | 'bare', Side>;

/** A quick run has two processes in the place of four, the first of which it has anyway. */
async function startGroups(run: Run): Promise<Record<1 | 2 | 4, Group>> {
  if (!run.quick) return { 1: await startGroup(run, 1), 2: await startGroup(run, 2), 4: await startGroup(run, 4) };
  const { server, least, friends } = await sharedPlatform(run);
  const two = await toGroup(run, [server, await startBeside(run, server)], [least], friends);
  return { 1: await toGroup(run, [server], [least], friends), 2: two, 4: two };
}

/** So many processes on a database of their own. */
async function startGroup(run: Run, size: number): Promise<Group> {
  const first = await startServer(run);
  const others: ServerProcess[] = [];
  while (others.length < size - 1) others.push(await startBeside(run, first));
  const bare: ServerProcess[] = [];
  while (bare.length < size) bare.push(await startProcess(run, leastServer, { DATABASE_URL: first.databaseUrl }));
  return await toGroup(run, [first, ...others], bare, await makeFriends(first.url, connections));
}

/** Starts another process on the database and the files of the first. */
async function startBeside(run: Run, { databaseUrl, folder }: ServerProcess): Promise<ServerProcess> {
  const files = pathToFileURL(join(folder, 'files')).href;
  return await startServer(run, { DATABASE_URL: databaseUrl, PLATFORM_STORAGE_URL: files });
}

/** The requests of agents to processes, in turn. */
async function toGroup(
  run: Run,
  servers: readonly ServerProcess[],
  bare: readonly ServerProcess[],
  friends: readonly Friends[],
): Promise<Group> {
  const agents = friends.slice(0, connections);
  const databasePid = await run.databasePid();
  const side = async (of: readonly ServerProcess[], toTarget: (url: string, pair: Friends) => Promise<Target>) => ({
    targets: await Promise.all(agents.map((pair, index) => toTarget(of[index % of.length]?.url ?? '', pair))),
    serverPids: of.map(({ pid }) => pid),
    databasePid,
  });
  return {
    reads: await side(servers, profileTarget),
    messages: await side(servers, messageTarget),
    bare: await side(bare, profileTarget),
  };
}

async function profileTarget(url: string, { sender: { token } }: Friends): Promise<Target> {
  const path = '/api/v1/bots/me';
  const bodyBytes = Buffer.byteLength(await send(url, path, token));
  return { url, path, headers: { authorization: `Bearer ${token}` }, bodyBytes };
}
