import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Figure, Run } from './measure.ts';
import { median, summary } from './median.ts';

// Work through the server against the statements that it costs, run by the
// driver alone, with the same concurrency and in turn.

const execute = promisify(execFile);

/** The same work a second, done in both ways one after the other. */
interface Round {
  readonly sql: number;
  readonly server: number;
}

/** The two ways, each for so many seconds; both tell how much was done in one of them. */
export interface Ways {
  readonly sql: (seconds: number) => Promise<number>;
  readonly server: (seconds: number) => Promise<number>;
}

/** Runs a program that does the work by the driver alone and prints how much of it a second. */
export async function runSqlProgram(words: readonly string[], timeoutMs: number): Promise<number> {
  const { stdout } = await execute(process.execPath, [...words], { timeout: timeoutMs });
  const { perSecond }: { readonly perSecond: number } = JSON.parse(stdout);
  return perSecond;
}

/** In turn, and judged in pairs: what else the machine does troubles both of a pair. */
export async function takeInTurn(run: Run, ways: Ways, roundSeconds: number): Promise<readonly Round[]> {
  const [warmUpSeconds, seconds, count] = run.quick ? [0.3, 0.3, 3] : [3, roundSeconds, 9];
  await ways.server(warmUpSeconds);
  const rounds: Round[] = [];
  for (let number = 1; number <= count; number += 1) {
    const round = { sql: await ways.sql(seconds), server: await ways.server(seconds) };
    const { sql, server } = round;
    run.say(
      `round ${number}: SQL ${sql.toFixed(0)}/s, server ${server.toFixed(0)}/s, ratio ${(server / sql).toFixed(3)}`,
    );
    rounds.push(round);
  }
  return rounds;
}

/** What a report shows of it; the server has to reach half of the rate. */
export function toFigures(rounds: readonly Round[], what: string): readonly Figure[] {
  return [
    {
      name: `ratio of ${what} per second`,
      ...summary(rounds.map(({ sql, server }) => server / sql)),
      unit: '',
      target: { atLeast: 0.5 },
    },
    { name: 'server', ...summary(rounds.map(({ server }) => server)), unit: `${what}/s` },
    { name: 'SQL by the driver', value: median(rounds.map(({ sql }) => sql)), unit: `${what}/s` },
  ];
}
