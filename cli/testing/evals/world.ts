import { runCli } from '../../src/index.ts';
import { type Machine, openMachine } from '../agentp.ts';
import { captureIo } from '../captured-io.ts';
import { startLossyProxy } from '../losing-proxy.ts';
import { parseSteps, runStep } from '../read-skill.ts';

/** A task: a person's goal, and the world before and after it. Its commands use the note syntax of the skill. */
export interface EvalTask {
  readonly name: string;
  /** The sentences that the player receives, in order. */
  readonly goal: readonly string[];
  /** Values for the player, by name. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Commands that prepare the world. */
  readonly before?: readonly string[];
  /** Commands of the other agents during the task; each line is repeated until it succeeds. */
  readonly others?: readonly string[];
  /** A pattern of paths: the proxy at `<proxy_url>` drops the responses of matching paths until a command fails. */
  readonly lost?: string;
  /** Commands that check the result; the player does not receive them. */
  readonly check: readonly string[];
}

/** Everything a player can use: the documents, the goal and `agentp`. */
export interface PlayerTools {
  readonly skill: string;
  readonly goal: readonly string[];
  readonly values: Map<string, unknown>;
  readonly run: (words: readonly string[]) => ReturnType<Machine['run']>;
  /** Starts a command that runs until the end of the task. */
  readonly start: (words: readonly string[]) => void;
}

/** A function that reads the skill and runs commands until the goal is reached or proves unreachable. */
export type EvalPlayer = (desk: PlayerTools) => Promise<void>;

const limitMs = 15_000;
const pauseMs = 400;

/**
 * Runs a task in a new `agentp dev --memory`, and returns the first fault in the resulting world.
 *
 * @param edit changes the documents that the player reads: the skill, the list of commands, the hints
 */
export async function runTask(
  task: EvalTask,
  player: EvalPlayer,
  skill: string,
  edit: (text: string) => string,
): Promise<{ readonly fault: string | undefined; readonly report: string }> {
  const ending = new AbortController();
  const dev = captureIo({ signal: ending.signal });
  const served = runCli(['dev', '--memory', '--json'], dev.io);
  await until(async () => dev.stdout().includes('\n'));
  const { url, home }: { url: string; home: string } = JSON.parse(dev.stdout());
  if (url === undefined) throw new Error(`agentp dev: ${dev.stdout()}`);
  const proxy = await startLossyProxy(url);
  const machine = openMachine(home, url);
  const running = [served];
  try {
    const env = { AGENTP_BASE_URL: '' };
    const values = new Map(Object.entries({ ...task.given, server_url: url, proxy_url: proxy.url }));
    const run = (words: readonly string[]) => machine.run(words, { env, signal: ending.signal });
    const act = async (lines: readonly string[] = [], own = new Map(values), repeats = false) => {
      for (const step of lines.flatMap((line) => parseSteps(`\`\`\`sh\n${line}\n\`\`\``))) {
        if (!repeats) await runStep(step, own, run);
        else
          await until(() =>
            runStep(step, own, run).then(
              () => true,
              () => false,
            ),
          );
      }
    };
    await act(task.before, values);
    if (task.lost !== undefined) proxy.lose(new RegExp(task.lost));
    const other = sleep(task.others === undefined ? 0 : 1_500)
      .then(() => act(task.others, new Map(values), true))
      .catch(() => undefined);
    const report = await player({
      skill: edit(skill),
      goal: task.goal,
      values,
      run: async (words) => {
        const outcome = await run(words);
        if (outcome.exitCode !== 0 && task.lost !== undefined) proxy.lose(undefined);
        const isDocument = words[0] === 'commands' || outcome.exitCode !== 0;
        return isDocument ? { ...outcome, stdout: edit(outcome.stdout) } : outcome;
      },
      start: (words) => void running.push(run(words).then(({ exitCode }) => exitCode)),
    }).then(() => 'done', String);
    if (report === 'done') await other;
    const fault = await act(task.check).then(() => undefined, String);
    return { fault, report };
  } finally {
    ending.abort(new Error('The task is over.'));
    proxy.close();
    await Promise.all(running);
  }
}

export async function sleep(ms = pauseMs): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const endsAt = Date.now() + limitMs;
  while (!(await condition())) {
    if (Date.now() > endsAt) throw new Error('The condition was not met in time.');
    await sleep(20);
  }
}
