import { type Argument, Option } from 'commander';
import type { ExitCode } from './errors/exit-codes.ts';
import { type Failure, UsageError } from './errors/failure.ts';
import { quoteShellWord } from './errors/hint-commands.ts';
import type { Io } from './io/io.ts';
import type { ParsedArguments } from './options/parsed-arguments.ts';
import { askForConfirmation, requireTerminal } from './output/confirm.ts';
import type { TextLayout } from './output/layout.ts';
import type { Report } from './output/report.ts';
import { toVisibleLine } from './output/visible-text.ts';
import type { CommandContext } from './session/chosen-credential.ts';
import type { OpenedAgent } from './session/session.ts';
import type { DataSchema } from './surface/data-schema.ts';
import type { Effect, Repeatability } from './surface/effects.ts';

/** The help, the parser, the completion and the documents are generated from this description. */
export interface CommandDescription {
  readonly path: readonly [string] | readonly [noun: string, verb: string];
  readonly effect: Effect;
  readonly repeat: Repeatability;
  /** The contract operations that the command calls, the main one first. */
  readonly operations: readonly string[];
  /** True for an irreversible command that itself asks for confirmation on a terminal. */
  readonly hasOwnQuestion?: boolean;
  readonly summary: string;
  readonly description?: string;
  readonly examples: readonly [string, ...string[]];
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  /** By default, the command prints one JSON envelope. */
  readonly prints?: 'lines' | 'text';
  /** The schema of the output data, against which `--fields` is validated first; absent if the command prints text. */
  readonly out?: DataSchema;
  /** Exit codes in addition to those of every command; by default, those of the operations. */
  readonly exits?: readonly ExitCode[];
}

export interface Command extends CommandDescription {
  readonly prepare: (args: ParsedArguments) => (session: CommandContext) => Promise<Report>;
}

export interface CommandGroup {
  readonly noun: string;
  readonly summary: string;
  readonly commands: readonly Command[];
}

/** All commands and nouns of a program, in the order of the help. */
export type CommandCatalogue = readonly (Command | CommandGroup)[];

interface CommandDefinition<Input> extends CommandDescription {
  /** Converts the arguments to input, without side effects; throws `UsageError`. */
  readonly parse: (args: ParsedArguments) => Input;
  readonly run: (input: Input, session: CommandContext) => Promise<Report>;
}

/** An irreversible command asks for confirmation before it runs. */
export function defineCommand<Input>({ parse, run, ...description }: CommandDefinition<Input>): Command {
  if (description.effect !== 'irreversible') {
    return {
      ...description,
      prepare: (args) => {
        const input = parse(args);
        return (session) => run(input, session);
      },
    };
  }
  const hasDryRun = description.options?.some(({ long }) => long === '--dry-run') ?? false;
  return {
    ...description,
    options: [...(description.options ?? []), new Option('--yes', 'skip the question; required without a terminal')],
    prepare: (args) => {
      const input = parse(args);
      // A dry run changes nothing, so it needs no confirmation.
      const isConfirmed = args.flag('yes') || (hasDryRun && args.flag('dry-run'));
      return async (session) => {
        if (!isConfirmed) await confirm(description, args.words, session.io);
        return await run(input, session);
      };
    },
  };
}

async function confirm(
  { path, summary, hasOwnQuestion }: CommandDescription,
  words: readonly string[],
  io: Io,
): Promise<void> {
  const command = `agentp ${path.join(' ')}`;
  const confirmed = [command, ...words.map(quoteShellWord), '--yes'].join(' ');
  requireTerminal(io, command, confirmed);
  if (hasOwnQuestion === true) return;
  const question = `${[command, ...words].map(toVisibleLine).join(' ')}: ${summary}. This cannot be undone.`;
  if (await askForConfirmation(io, question)) return;
  throw new UsageError('Not confirmed; nothing was sent.', `To confirm, type yes, or: ${confirmed}`);
}

interface AgentCommandDefinition<Input, Result extends object> extends Omit<CommandDefinition<Input>, 'run'> {
  readonly request: (agent: OpenedAgent, input: Input) => PromiseLike<Result>;
  /** Converts the result to the output data; by default, the result is the output data. */
  readonly data?: (result: Result) => Readonly<Record<string, unknown>>;
  readonly format: (page: TextLayout, result: Result, agent: OpenedAgent, input: Input) => string;
  /** Suggested next steps for the user. */
  readonly notes?: (result: Result) => readonly string[];
  readonly failure?: (result: Result, input: Input) => Failure | undefined;
}

/** Defines a command that acts as the agent of the profile and prints one result. */
export function defineAgentCommand<Input, Result extends object>(
  definition: AgentCommandDefinition<Input, Result>,
): Command {
  const { request, data, format, notes, failure, ...rest } = definition;
  return defineCommand({
    ...rest,
    run: async (input, session) => {
      const { openAgent } = await import('./session/session.ts');
      const agent = await openAgent(session);
      const result = await request(agent, input);
      return {
        data: data?.(result) ?? Object.fromEntries(Object.entries(result)),
        format: (page) => format(page, result, agent, input),
        notes: notes?.(result) ?? [],
        failure: failure?.(result, input),
      };
    },
  });
}

export function parseNoInput(): undefined {
  return undefined;
}

export function parseFirstArgument(args: ParsedArguments): string {
  return args.argument(0);
}

export const exampleId = '01a1fdff-c0dc-7093-b041-e5d4cac41340';
