import type { Json, Machine } from './agentp.ts';

/** A command line of the skill, and the notes in its comment. */
export interface SkillStep {
  readonly line: string;
  readonly notes: readonly string[];
}

/** Reads the tasks of a skill: the command lines below each heading, in their order. */
export function parseTasks(skill: string): ReadonlyMap<string, readonly SkillStep[]> {
  const sections = skill.split(/^## /m).slice(1);
  const tasks = sections.map((section) => [section.slice(0, section.indexOf('\n')), parseSteps(section)] as const);
  return new Map(tasks.filter(([, steps]) => steps.length > 0));
}

export function parseSteps(section: string): readonly SkillStep[] {
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const lines = blocks.flatMap((block) => block.split('\n')).filter((line) => line !== '');
  return lines.map((text) => {
    const [line = '', notes = ''] = text.split(' # ');
    return { line, notes: notes === '' ? [] : notes.split('; ') };
  });
}

/** The exit code or the output of a command differs from its notes. */
export class StepFailure extends Error {
  readonly exitCode: number;
  readonly hint: string;

  constructor(message: string, exitCode = 0, stdout = '{}') {
    super(message);
    this.exitCode = exitCode;
    const { error }: Json = exitCode === 0 ? {} : JSON.parse(stdout.trimEnd().split('\n').at(-1) || '{}');
    this.hint = String(Reflect.get(Object(error), 'hint') ?? '');
  }
}

/**
 * Runs a step as the skill describes: fills in the values, runs the command, checks its output against the notes, and
 * stores the values that the notes name. Throws if a value is unknown or the output is unexpected.
 */
export async function runStep(
  { line, notes }: SkillStep,
  values: Map<string, unknown>,
  run: (words: readonly string[]) => ReturnType<Machine['run']>,
): Promise<Json> {
  const words = wordsOf(line, values);
  const { exitCode, stdout } = await run(words);
  const expectedCode = Number(notes.find((note) => note.startsWith('exit '))?.slice(5) ?? 0);
  if (exitCode !== expectedCode)
    throw new StepFailure(`agentp ${words.join(' ')} exits with ${exitCode}: ${stdout}`, exitCode, stdout);
  const output: Json = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  for (const note of notes.filter((one) => !/^(exit \d+|background)$/.test(one))) {
    const [, name, kept = ''] = /^keep <(\w+)> = (\/\S+)$/.exec(note) ?? [];
    if (name !== undefined) values.set(name, resolve(output, kept));
    else expectValue(output, note, values);
  }
  return output;
}

/** The words of a command line without the program name, with the values filled in. */
export function wordsOf(line: string, values: ReadonlyMap<string, unknown>): readonly string[] {
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)];
  return words.slice(1).map(([, quoted, bare]) => fill(quoted ?? bare ?? '', values));
}

function expectValue(output: Json, note: string, values: ReadonlyMap<string, unknown>): void {
  const [, pointer = '', operator = '', expected = ''] = /^expect (\/\S+) (\S+) (.+)$/.exec(note) ?? [];
  const [isAsExpected, actual] = [compare[operator], resolve(output, pointer)];
  if (isAsExpected === undefined) throw new Error(`Unknown kind of note: ${note}`);
  if (!isAsExpected(actual, JSON.parse(fill(expected, values)))) throw new StepFailure(`${note}, but it is ${actual}.`);
}

const compare: Readonly<Record<string, (actual: unknown, wanted: unknown) => boolean>> = {
  '=': (actual, wanted) => actual === wanted,
  '>': (actual, wanted) => Number(actual) > Number(wanted),
  '<=': (actual, wanted) => Number(actual) <= Number(wanted),
  '>=': (actual, wanted) => Number(actual) >= Number(wanted),
};

function fill(text: string, values: ReadonlyMap<string, unknown>): string {
  return text.replaceAll(/<(\w+)>/g, (_, name: string) => {
    if (!values.has(name)) throw new Error(`The value <${name}> is unknown.`);
    return String(values.get(name));
  });
}

function resolve(output: unknown, pointer: string): unknown {
  const found = pointer
    .split('/')
    .slice(1)
    .reduce((value: unknown, key) => (value as Record<string, unknown> | null | undefined)?.[key], output);
  if (found === undefined) throw new StepFailure(`The output has nothing at ${pointer}: ${JSON.stringify(output)}`);
  return found;
}
