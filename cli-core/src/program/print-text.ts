import { Help } from 'commander';
import { findConfigFolder, listProfileNames } from '../credentials/profile-names.ts';
import type { Io, OutputStream } from '../io/io.ts';
import { completeCommandLine } from './complete.ts';
import { makeHelpCatalogue } from './described-catalogue.ts';
import { findCommand } from './find-command.ts';
import { formatHelpTopic } from './help-topics.ts';
import { buildProgram, getHelpWidth } from './program.ts';

const requests = ['-h', '--help', '-V', '--version'];

/** Returns the help, version or input schema that a command line requests; undefined if it requests other work. */
export function renderRequestedText(argv: readonly string[], stdout: OutputStream): string | undefined {
  // Words after `--` are arguments.
  const [at, end] = [argv.indexOf('--input-schema'), argv.indexOf('--')];
  if (at >= 0 && (end < 0 || at < end)) return printInputSchema(argv);
  const topic = argv[0] === 'help' ? formatHelpTopic(argv[1] ?? '', new Help(), getHelpWidth(stdout)) : undefined;
  if (topic !== undefined) return topic;
  // Without a command, a terminal shows the help; elsewhere the missing command is reported as an error.
  const isForPerson = argv.length === 0 && stdout.isTerminal;
  const isRequest = isForPerson || argv[0] === 'help' || argv.some((word) => requests.includes(word));
  if (!isRequest) return undefined;
  const texts: string[] = [];
  let isWork = false;
  const onCommand = () => {
    isWork = true;
  };
  const program = buildProgram(makeHelpCatalogue(argv), getHelpWidth(stdout), onCommand, (text) => texts.push(text));
  try {
    program.parse(isForPerson ? ['--help'] : argv, { from: 'user' });
  } catch {
    // Ignored: Commander also throws after it prints a text, and an invalid command line is reported by a later parse.
  }
  return isWork || texts.length === 0 ? undefined : texts.join('');
}

/** The input schema of the command; undefined if the words name no command, which the parser reports later. */
function printInputSchema(argv: readonly string[]): string | undefined {
  const { described } = findCommand(argv);
  return described && `${JSON.stringify(described.in, undefined, 2)}\n`;
}

export async function formatCompletions(words: readonly string[], io: Io): Promise<string> {
  const line = words[0] === '--' ? words.slice(1) : words;
  const program = buildProgram(makeHelpCatalogue(line), 80);
  const completion = await completeCommandLine(program, line, () => listProfileNames(findConfigFolder(io)));
  const lines =
    completion === 'files' ? [':files'] : completion.map(({ value, description }) => `${value}\t${description}`);
  return lines.map((line) => `${line}\n`).join('');
}
