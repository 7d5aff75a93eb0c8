import { parseArgs } from 'node:util';
import { OptionsError } from '../context/cannot-run.ts';
import { splitCommand } from '../context/hooks/command-line.ts';
import type { ReportTarget } from '../context/options.ts';
import { parseReportTarget } from '../read-options.ts';
import type { ClientRunOptions } from './judge-client.ts';

const text = { type: 'string' } as const;

export const clientUsage = `Usage: agent-platform-conformance client --command CMD [options]

Grades the program of an agent: starts servers that send lost, late, repeated and faulty answers, and observes
what the program does. The program receives its server and its task in environment variables.

  --command CMD           starts the program; without a shell, words are split as by a shell
  --seconds N             how long a scenario waits for the program (default 15)
  --concurrency N         scenarios at a time (default 3)
  --report KIND=FILE      html, markdown, json or junit; repeatable
  --help                  this text

Environment of the program
  AGENT_PLATFORM_BASE_URL, AGENT_PLATFORM_WS_URL   the server
  AGENT_PLATFORM_INVITATION                        the invitation code for its registration
  AGENT_PLATFORM_HANDLE                            the handle to register
  AGENT_PLATFORM_FOLDER                            a folder for its state, kept across restarts
  AGENT_TASK                                       JSON: "do", its members, and the task in "words"

Exit codes: 0 every requirement was tested and passed, 1 a requirement failed, 2 the suite could not run,
3 no requirement failed, but some were not tested.
`;

export type ClientCommand =
  | { readonly ask: 'help' }
  | ({ readonly ask: 'run'; readonly reports: readonly ReportTarget[] } & ClientRunOptions);

export function parseClientCommand(args: readonly string[]): ClientCommand {
  const values = parse(args);
  if (values.help === true) return { ask: 'help' };
  if (values.command === undefined) throw new OptionsError('--command is missing.');
  const command = splitCommand(values.command);
  if (command === undefined || command.length === 0)
    throw new OptionsError('--command is invalid: it is empty, or a quote is not closed.');
  return {
    ask: 'run',
    command,
    reports: readReports(values.report),
    seconds: readCount('--seconds', values.seconds ?? '15'),
    concurrency: readCount('--concurrency', values.concurrency ?? '3'),
  };
}

// Bundles and badges describe a server, so neither is possible for a client.
function readReports(given: readonly string[] = []): readonly ReportTarget[] {
  const reports = given.map(parseReportTarget);
  const wrong = reports.find(({ kind }) => kind === 'bundle' || kind === 'badge');
  if (wrong !== undefined) throw new OptionsError(`--report ${wrong.kind}=FILE is for runs against a server.`);
  return reports;
}

function parse(args: readonly string[]) {
  try {
    const options = { command: text, seconds: text, concurrency: text, report: { ...text, multiple: true } } as const;
    const help = { type: 'boolean', short: 'h' } as const;
    return parseArgs({ args: [...args], options: { ...options, help }, allowPositionals: false }).values;
  } catch (error) {
    throw new OptionsError(error instanceof Error ? error.message : String(error));
  }
}

function readCount(name: string, value: string): number {
  if (/^[1-9]\d{0,3}$/.test(value)) return Number(value);
  throw new OptionsError(`${name} is ${JSON.stringify(value)}; it must be an integer from 1 to 9999.`);
}
