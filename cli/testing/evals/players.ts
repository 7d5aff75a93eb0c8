import { spawn } from 'node:child_process';
import { text as readAll } from 'node:stream/consumers';
import type { EvalPlayer, PlayerTools } from './world.ts';

/** A recorded command. The word `<name>` is a given value; `<2/data/id>` is a member of the third command's output. */
export interface RecordedCall {
  /** Milliseconds since the start of the task. */
  readonly at_ms: number;
  readonly words: readonly string[];
  /** Whether the command runs until the end of the task. */
  readonly background?: true;
}

const callsMax = 60;

export function makeRecordingPlayer(player: EvalPlayer, calls: RecordedCall[]): EvalPlayer {
  return async (desk) => {
    const given = [...desk.values].map(([name, value]) => [`<${name}>`, String(value)] as const);
    const printed: (readonly [name: string, value: string])[] = [];
    const startedAt = Date.now();
    const call = (words: readonly string[]) => {
      const named = words.map((word) => [...given, ...printed].find(([, value]) => value === word)?.[0] ?? word);
      return { at_ms: Date.now() - startedAt, words: named };
    };
    await player({
      ...desk,
      run: async (words) => {
        const index = calls.push(call(words)) - 1;
        const outcome = await desk.run(words);
        for (const [place, value] of idsIn(parseLast(outcome.stdout))) printed.push([`<${index}${place}>`, value]);
        return outcome;
      },
      start: (words) => {
        calls.push({ ...call(words), background: true });
        desk.start(words);
      },
    });
  };
}

export function makeReplayingPlayer(calls: readonly RecordedCall[]): EvalPlayer {
  return async (desk) => {
    const values = new Map([...desk.values].map(([name, value]) => [`<${name}>`, String(value)]));
    const startedAt = Date.now();
    for (const [index, { at_ms, words, background }] of calls.entries()) {
      await new Promise((resolve) => setTimeout(resolve, startedAt + at_ms - Date.now()));
      const filled = words.map((word) => values.get(word) ?? word);
      if (background) desk.start(filled);
      else {
        const { stdout } = await desk.run(filled);
        for (const [place, value] of idsIn(parseLast(stdout))) values.set(`<${index}${place}>`, value);
      }
    }
  };
}

/**
 * Makes a player that asks a program for each command: the program reads `{ skill, goal, given, calls }` as JSON on
 * stdin, and prints the next `{ words, background? }`, or `{ done: true }`.
 */
export function makeModelPlayer(command: string): EvalPlayer {
  return async (desk) => {
    const calls: object[] = [];
    const given = Object.fromEntries(desk.values);
    while (calls.length < callsMax) {
      const { done, words = [], background } = JSON.parse(await ask(command, { ...pick(desk), given, calls }));
      if (done === true) return;
      if (background === true) desk.start(words);
      const { exitCode, stdout } = background === true ? { exitCode: null, stdout: '' } : await desk.run(words);
      calls.push({ words, exit_code: exitCode, output: stdout });
    }
    throw new Error(`The model has not finished after ${callsMax} commands.`);
  };
}

function pick({ skill, goal }: PlayerTools) {
  return { skill, goal };
}

async function ask(command: string, conversation: object): Promise<string> {
  const child = spawn('sh', ['-c', command], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(conversation));
  return await readAll(child.stdout);
}

function parseLast(stdout: string): unknown {
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) || 'null');
}

// Finds the ids in a value, because only ids differ between two runs of a task.
function idsIn(value: unknown, place = ''): readonly (readonly [place: string, id: string])[] {
  if (typeof value === 'string') return /^[0-9a-f-]{36}$/.test(value) ? [[place, value]] : [];
  return Object.entries(Object(value)).flatMap(([name, member]) => idsIn(member, `${place}/${name}`));
}
