import { parseSteps, runStep, type SkillStep, StepFailure, wordsOf } from '../read-skill.ts';
import { type Candidate, chooseByWords } from './choose-by-words.ts';
import { type PlayerTools, sleep } from './world.ts';

/** A list of command lines in a document, with the text around it. */
interface Procedure extends Candidate {
  readonly section: string;
  readonly text: string;
  readonly steps: readonly SkillStep[];
}

/** The rules for using commands, parsed from the sentences of the skill. */
interface Rules {
  readonly notes: ReadonlySet<string>;
  /** By exit code, the heading of the task that handles it. */
  readonly tasksByExit: ReadonlyMap<number, string>;
  readonly repeatable: ReadonlySet<number>;
  readonly addable: readonly string[];
  readonly optionOf: ReadonlyMap<string, string>;
  /** The sentences that list what a person must confirm. */
  readonly asking: string;
  readonly readsHints: boolean;
  readonly lists: readonly string[];
}

const repeatsMax = 12;
const numbers = ['zero', 'one', 'two', 'three', 'four'];

/** Follows the documents sentence by sentence, as a player without any knowledge of the tasks. */
export async function followSkill(desk: PlayerTools): Promise<void> {
  const rules = readRules(desk.skill);
  const procedures = readProcedures(desk.skill);
  for (const sentence of desk.goal) {
    const chosen = chooseByWords(sentence, procedures) ?? (await findCommand(sentence, rules, desk));
    if (chosen === undefined) throw new Error(`No document describes how to: ${sentence}`);
    await play(chosen, { desk, rules, procedures });
  }
}

function readRules(skill: string): Rules {
  const all = (pattern: RegExp) => [...skill.replaceAll(/\n(?=\S)/g, ' ').matchAll(pattern)];
  const codes = (text = '') => [...text.matchAll(/\d+/g)].map(Number);
  return {
    notes: new Set([...skill.matchAll(/^- `(\w+)/gm)].map(([, note = '']) => note)),
    tasksByExit: new Map(
      all(/exit code ([\d, or]+)[^:.]*: do the task \[([^\]]+)\]/gi).flatMap(([, list, task = '']) =>
        codes(list).map((code) => [code, task] as const),
      ),
    ),
    repeatable: new Set(all(/exit code ([\d, or]+)[^:.]*: run it again/gi).flatMap(([, list]) => codes(list))),
    addable: all(/To [^.`]+, add `([^`]+)`/g).map(([, option = '']) => option),
    optionOf: new Map(
      [...skill.matchAll(/^\| `agentp ([^`]+)`.*`(--[^`]+)` *\|$/gm)].map(([, line = '', option = '']) => [
        line,
        option,
      ]),
    ),
    asking: all(/\d\. ([^.]*\bneeds? the approval of the person)/gi).join(' '),
    readsHints: /`\/error\/hint`\. The hint names the next command/.test(skill),
    lists: all(/For a command that no task shows, `([^`]+)`[^`]*`([^`]+)`/g).flatMap((found) => found.slice(1)),
  };
}

/** The procedures of the skill: one per block of lines, one per part of a block, and one per command in a sentence. */
function readProcedures(skill: string): readonly Procedure[] {
  return skill
    .split(/^## /m)
    .slice(1)
    .flatMap((whole) => {
      const [section = '', ...lines] = whole.split('\n');
      const text = lines.join(' ');
      const blocks = [...whole.matchAll(/([^\n]*)\n\n(```sh\n.*?^```$)/gms)].flatMap(([, lead = '', block = '']) => {
        const steps = parseSteps(block);
        const title = lead.endsWith(':') ? lead : section;
        const [, first, one = '', other = ''] =
          /first (\w+) lines are for (.+?), the others for (.+?)\./.exec(text) ?? [];
        if (first === undefined) return [{ section, text, title, steps }];
        const count = numbers.indexOf(first);
        return [
          { section, text, title: `${section} ${one}`, steps: steps.slice(0, count) },
          { section, text, title: `${section} ${other}`, steps: steps.slice(count) },
        ];
      });
      const named = [...text.matchAll(/If ([^,.`]+), `(agentp [^`]+<[^`]+)`/g)].map(([, title = '', line = '']) => ({
        section,
        text,
        title,
        steps: [{ line, notes: [] }],
      }));
      return [...blocks.filter(({ steps }) => steps.length > 0), ...named];
    });
}

/** Finds the command for a sentence in the output of the skill's list command, and builds its command line. */
async function findCommand(sentence: string, { lists: [list, example] }: Rules, { run }: PlayerTools) {
  if (list === undefined || example === undefined) return undefined;
  const ask = async (line: string) => JSON.parse((await run(wordsOf(line, new Map()))).stdout).data;
  const { commands } = await ask(list);
  const found = chooseByWords(
    sentence,
    commands.map(({ command, summary }: Record<string, string>) => ({ title: `${command}: ${summary}`, command })),
  );
  if (found === undefined) return undefined;
  const { command } = found as Candidate & { readonly command: string };
  const [{ in: input }] = (await ask(`agentp commands ${command} --json`)).commands;
  const args = input.required.map((name: string) => input.properties[name]['x-usage'].replaceAll('-', '_'));
  return {
    section: '',
    text: '',
    title: found.title,
    steps: [{ line: ['agentp', command, ...args].join(' '), notes: [] }],
  };
}

interface Reading {
  readonly desk: PlayerTools;
  readonly rules: Rules;
  readonly procedures: readonly Procedure[];
}

async function play(procedure: Procedure, reading: Reading): Promise<void> {
  for (const step of procedure.steps) await perform(step, procedure, reading, 0);
}

async function perform(step: SkillStep, procedure: Procedure, reading: Reading, repeats: number): Promise<void> {
  const { desk, rules } = reading;
  await findValues(step, procedure, reading);
  const line = complete(step.line, procedure, reading);
  const notes = step.notes.filter((note) => rules.notes.has(note.split(' ')[0] ?? ''));
  try {
    if (notes.includes('background')) desk.start(wordsOf(line, desk.values));
    else await runStep({ line, notes }, desk.values, desk.run);
  } catch (failure) {
    if (!(failure instanceof StepFailure) || repeats === repeatsMax) throw failure;
    const task = reading.procedures.find(({ section }) => section === rules.tasksByExit.get(failure.exitCode));
    if (task !== undefined && task !== procedure) return await play(task, reading);
    const mayHappenLater = failure.exitCode === 0 && /until then [^.]* line fails/.test(procedure.text);
    if (mayHappenLater) await sleep();
    else if (!rules.repeatable.has(failure.exitCode)) {
      const [, next] =
        /\b(agentp [a-z-]+(?: (?!agentp)[^ ,;.A-Z"]+)*)/.exec(rules.readsHints ? failure.hint : '') ?? [];
      if (next === undefined || repeats > 0) throw failure;
      await desk.run(wordsOf(complete(next, procedure, reading), desk.values));
    }
    await perform(step, procedure, reading, repeats + 1);
  }
}

/** Runs the lines that produce the unknown values of a line. */
async function findValues(step: SkillStep, procedure: Procedure, reading: Reading): Promise<void> {
  const { values } = reading.desk;
  for (const [name] of step.line.matchAll(/<\w+>/g)) {
    if (values.has(name.slice(1, -1))) continue;
    const others = reading.procedures.filter(({ section }) => section === procedure.section);
    const keeper = others
      .flatMap(({ steps }) => steps)
      .find(({ notes }) => notes.some((note) => note.startsWith(`keep ${name}`)));
    if (keeper !== undefined && keeper !== step) await perform(keeper, procedure, reading, 0);
  }
}

/** Adds the options that the skill requires: one selects the agent to act as, one states the person's confirmation. */
function complete(line: string, { section }: Procedure, { desk: { values }, rules }: Reading): string {
  const [, , option = ''] = [...rules.optionOf].flatMap(([command, text]) =>
    line.startsWith(`agentp ${command}`) ? ['', '', text] : [],
  );
  const needsYes = option !== '' || rules.asking.toLowerCase().includes(section.toLowerCase() || ' no section');
  if (needsYes && rules.asking !== '' && values.get('consent') !== 'yes') throw new Error(`No consent: ${line}`);
  const missing = [option, ...rules.addable].filter((one) => {
    const [flag = '', name = ''] = one.split(' ');
    return flag !== '' && !line.includes(flag) && (name === '' || values.has(name.slice(1, -1)));
  });
  return [line, ...missing].join(' ');
}
