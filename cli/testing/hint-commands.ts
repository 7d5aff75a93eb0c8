import { findCommandLines } from '@agent-platform/cli-core/errors/hint-commands';
import { parseCommandLine } from '@agent-platform/cli-core/program/parse-command-line';
import { catalogue } from '../src/commands/catalogue.ts';
import { captureIo } from './captured-io.ts';

/** Splits a command line into words like a shell, without the program name. */
function wordsOf(line: string): readonly string[] {
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)];
  return words.slice(1).map(([, double, single, bare]) => double ?? single ?? bare ?? '');
}

/** The commands in a text that the parser refuses; a word in capitals stands for any value. */
export function findInvalidCommands(text: string): readonly string[] {
  return findCommandLines(text).filter((line) => {
    try {
      parseCommandLine(wordsOf(line), captureIo().io, catalogue);
      return false;
    } catch {
      return true;
    }
  });
}

export function assertValidHintCommands({
  stdout,
  stderr,
}: {
  readonly stdout: string;
  readonly stderr: string;
}): void {
  const [, hint = ''] = /"hint":("(?:[^"\\]|\\.)*")/.exec(stdout) ?? [];
  const notes = stderr.split('\n').filter((line) => !line.startsWith('agentp:'));
  const invalid = [hint === '' ? '' : String(JSON.parse(hint)), ...notes].flatMap(findInvalidCommands);
  if (invalid.length > 0) throw new Error(`A hint names an invalid command: ${invalid.join('; ')}`);
}
