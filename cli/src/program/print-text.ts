import type { Screen } from '../io/io.ts';
import { describedCatalogue } from './described-catalogue.ts';
import { buildProgram, columnsOf } from './program.ts';

const requests = ['-h', '--help', '-V', '--version'];

/** The text that a command line requests instead of work: help, or the version. */
export function printText(argv: readonly string[], stdout: Screen): string | undefined {
  const isRequest = argv.length === 0 || argv[0] === 'help' || argv.some((word) => requests.includes(word));
  if (!isRequest) return undefined;
  const texts: string[] = [];
  let isWork = false;
  const onCommand = () => {
    isWork = true;
  };
  const program = buildProgram(describedCatalogue(), columnsOf(stdout), onCommand, (text) => texts.push(text));
  try {
    // An empty command line prints the help.
    program.parse(argv.length === 0 ? ['--help'] : argv, { from: 'user' });
  } catch {
    // A text ends the parser as well; a wrong command line is parsed again, which reports it.
  }
  return isWork || texts.length === 0 ? undefined : texts.join('');
}
