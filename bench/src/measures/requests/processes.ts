import { type FigureRow, type Round, takeRounds, toFigures } from '../../figures/rounds.ts';
import { connections, type Target } from '../../load/load.ts';
import { type MeasuredLoad, measuredLoad, type Side, showLoad } from '../../load/measured-load.ts';
import { type ServerProcess, startProcess } from '../../load/server-process.ts';
import type { Measure } from '../../measure.ts';
import type { Run } from '../../run.ts';
import { type Friends, makeFriends } from '../../scenarios/agents.ts';
import { leastServer, sharedPlatform } from '../../scenarios/platform.ts';
import { startBeside, startServers } from '../../scenarios/server-groups.ts';
import { messageTarget, profileTarget } from '../../scenarios/targets.ts';

/** What several processes may add to the cost of a request, beyond what they add to the baseline. */
const goals = { two: 1.05, four: 1.15 } as const;

/** How many processes a group has. */
const sizes = { one: 1, two: 2, four: 4 } as const;
type Size = keyof typeof sizes;

const works = [
  ['reading the own profile', 'reads'],
  ['sending a message', 'messages'],
] as const;

/** The cost of a request when several processes share a database. */
export const processes: Measure = {
  name: 'processes',
  title: 'processor time of a request with two and with four processes on one PostgreSQL, 16 connections to each',
  baseline: 'bare Fastify routes with as many processes, which show what several processes cost on this machine',
  leavesOut: 'limits, validation, log, request ids; what processes tell each other',
  take: async (run) => {
    const groups = await startGroups(run);
    const [warmUpSeconds, seconds, count] = run.quick ? [0.05, 0.2, 1] : [2, 1, 5];
    const figures = [];
    for (const [name, work] of works) {
      for (const load of ['each', 'in all'] as const) {
        const countOf = (size: Size) => (load === 'each' ? sizes[size] * connections : connections);
        const take = (size: Size, kind: 'own' | 'bare', forSeconds: number) =>
          measuredLoad(groups[size][kind][work], forSeconds, countOf(size));
        const keys = Object.keys(sizes) as Size[];
        for (const size of keys) for (const kind of ['own', 'bare'] as const) await take(size, kind, warmUpSeconds);
        const rounds = await takeRounds(count, {
          one: () => take('one', 'own', seconds),
          two: () => take('two', 'own', seconds),
          four: () => take('four', 'own', seconds),
          bareOne: () => take('one', 'bare', seconds),
          bareTwo: () => take('two', 'bare', seconds),
          bareFour: () => take('four', 'bare', seconds),
        });
        for (const { one: single, two, four } of rounds)
          run.say(`${name}, 16 ${load}: 1 ${showLoad(single)}, 2 ${showLoad(two)}, 4 ${showLoad(four)}`);
        figures.push(...toFigures(rounds, rowsOf(`${name}, 16 ${load}`, load === 'each')));
      }
    }
    return figures.filter(({ value }) => !Number.isNaN(value));
  },
};

type Key = Size | 'bareOne' | 'bareTwo' | 'bareFour';
type Taken = Round<Key, MeasuredLoad>;

function rowsOf(name: string, hasTarget: boolean): readonly FigureRow<Taken>[] {
  const growth = (round: Taken, several: Key, single: Key) => round[several].processorUs / round[single].processorUs;
  const two = (round: Taken) => growth(round, 'two', 'one');
  const four = (round: Taken) => growth(round, 'four', 'one');
  const bareTwo = (round: Taken) => growth(round, 'bareTwo', 'bareOne');
  const bareFour = (round: Taken) => growth(round, 'bareFour', 'bareOne');
  const target = (below: number) => (hasTarget ? { below } : undefined);
  return [
    [`${name}: two by one, by the baseline`, (round) => two(round) / bareTwo(round), '', target(goals.two)],
    [`${name}: four by one, by the baseline`, (round) => four(round) / bareFour(round), '', target(goals.four)],
    [`${name}: two by one`, two, ''],
    [`${name}: four by one`, four, ''],
    [`${name}: two by one, baseline`, bareTwo, ''],
    [`${name}: four by one, baseline`, bareFour, ''],
    ...(['one', 'two', 'four'] as const).flatMap((key): readonly FigureRow<Taken>[] => [
      [`${name}: ${key}`, (round) => round[key].perSecond, 'requests/s'],
      [`${name}: ${key}, processor of server`, (round) => round[key].serverUs, 'µs'],
      [`${name}: ${key}, processor of database`, (round) => round[key].databaseUs, 'µs'],
    ]),
  ];
}

type Group = Record<'own' | 'bare', Record<'reads' | 'messages', Side>>;

/** A quick run has two processes in the place of four, the first of which it has anyway. */
async function startGroups(run: Run): Promise<Record<Size, Group>> {
  if (!run.quick)
    return { one: await startGroup(run, 1), two: await startGroup(run, 2), four: await startGroup(run, 4) };
  const { server, least, friends } = await sharedPlatform(run);
  const two = await toGroup(run, [server, await startBeside(run, server)], [least], friends);
  return { one: await toGroup(run, [server], [least], friends), two, four: two };
}

/** So many processes on a database of their own. */
async function startGroup(run: Run, size: number): Promise<Group> {
  const servers = await startServers(run, size);
  const [{ url, databaseUrl }] = servers;
  const bare: ServerProcess[] = [];
  while (bare.length < size) bare.push(await startProcess(run, leastServer, { DATABASE_URL: databaseUrl }));
  return await toGroup(run, servers, bare, await makeFriends(url, size * connections));
}

/** The requests of agents to processes, in turn. */
async function toGroup(
  run: Run,
  servers: readonly ServerProcess[],
  bare: readonly ServerProcess[],
  friends: readonly Friends[],
): Promise<Group> {
  const databasePid = await run.databasePid();
  const side = async (of: readonly ServerProcess[], toTarget: (url: string, pair: Friends) => Promise<Target>) => ({
    targets: await Promise.all(friends.map((pair, index) => toTarget(of[index % of.length]?.url ?? '', pair))),
    serverPids: of.map(({ pid }) => pid),
    databasePid,
  });
  const sides = async (of: readonly ServerProcess[]) => ({
    reads: await side(of, profileTarget),
    messages: await side(of, messageTarget),
  });
  return { own: await sides(servers), bare: await sides(bare) };
}
