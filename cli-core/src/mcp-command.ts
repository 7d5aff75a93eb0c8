import type { AgentPlatform } from '@agent-platform/sdk';
import { Option } from 'commander';
import { type Command, defineCommand } from './command.ts';
import { UsageError } from './errors/failure.ts';
import type { ParsedArguments } from './options/parsed-arguments.ts';
import type { StreamItem } from './output/report.ts';
import { toVisibleLine } from './output/visible-text.ts';
import type { CommandContext } from './session/chosen-credential.ts';
import { openAgent } from './session/session.ts';

/** The exports of the MCP package that `agentp mcp` uses. */
export interface McpPackage {
  serveAgent(agent: McpAgent, options: McpOptions): Promise<void>;
}

interface McpAgent {
  readonly platform: AgentPlatform;
  readonly id: string;
  readonly handle: string;
  readonly profile: string;
  readonly stateFolder: string;
}

interface McpOptions {
  readonly tools: readonly string[] | undefined;
  readonly isReadOnly: boolean;
  readonly hasOutputSchemas: boolean;
  readonly allow: readonly string[];
  readonly spendLimitMinor: number;
  readonly filesFolder: string | undefined;
  readonly httpPort: number | undefined;
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
}

type Input = Omit<McpOptions, 'signal' | 'report'>;

const portMax = 65_535;

export function makeMcpCommand(load: () => Promise<McpPackage>): Command {
  return defineCommand({
    path: ['mcp'],
    effect: 'money',
    repeat: 'never',
    operations: [],
    prints: 'text',
    summary: 'serve the tools of the agent to an LLM client (MCP), on stdin and stdout or over HTTP',
    description:
      "Actions that spend credits, publish content or cannot be undone require the user's confirmation in the client; --allow and --spend-limit-minor permit them without a question. With --http the server listens only on this machine and requires a bearer token, which is new at each start and stored in a file that stderr names. Needs the package @agent-platform/mcp.",
    examples: [
      'agentp mcp',
      'agentp mcp --profile alice --tools agents,orders --read-only',
      'agentp mcp --allow publish,contacts --spend-limit-minor 5000 --files-folder ./files',
      'agentp mcp --http 7777',
    ],
    options: [
      new Option(
        '--tools <names>',
        'only these tools, by name or by noun: orders,messages_read; core selects the few that a trade needs',
      ),
      new Option('--read-only', 'only tools that change nothing on the server'),
      new Option(
        '--output-schemas',
        'describe results, and return them as structured content, for clients that use it',
      ),
      new Option(
        '--allow <classes>',
        'actions permitted without a confirmation: publish, files, rights, contacts, block, delete',
      ),
      new Option(
        '--spend-limit-minor <units>',
        'credits that may be spent without a confirmation in 24 hours, in minor units',
      ).default('0'),
      new Option(
        '--files-folder <folder>',
        'upload files from this folder and save received files in its folder "received"; file tools require this option',
      ),
      new Option('--http <port>', 'serve HTTP on this port of the loopback address; 0 selects a free port'),
    ],
    parse,
    run: async (input, session) => ({ items: serve(load, input, session), endsByInterruption: true }),
  });
}

function parse(args: ParsedArguments): Input {
  return {
    tools: readNames(args, 'tools'),
    isReadOnly: args.flag('read-only'),
    hasOutputSchemas: args.flag('output-schemas'),
    allow: readNames(args, 'allow') ?? [],
    spendLimitMinor: readNumber(args, 'spend-limit-minor', 1_000_000_000_000) ?? 0,
    filesFolder: args.text('files-folder'),
    httpPort: readNumber(args, 'http', portMax),
  };
}

function readNames(args: ParsedArguments, option: string): readonly string[] | undefined {
  const names = args
    .text(option)
    ?.split(',')
    .map((name) => name.trim());
  if (names?.some((name) => name === '') === true) throw new UsageError(`--${option} has an empty name.`);
  return names;
}

function readNumber(args: ParsedArguments, option: string, max: number): number | undefined {
  const text = args.text(option);
  const value = text === undefined ? undefined : /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value === undefined || value <= max) return value;
  throw new UsageError(`--${option} "${text}" is not an integer from 0 to ${max}.`);
}

// Yields nothing, because stdout is reserved for the protocol.
async function* serve(
  load: () => Promise<McpPackage>,
  input: Input,
  session: CommandContext,
): AsyncGenerator<StreamItem> {
  const { io } = session;
  const report = (line: string) => io.stderr.write(`agentp mcp: ${toVisibleLine(line)}\n`);
  const { serveAgent } = await load();
  const { platform, credential, profile, stateFolder } = await openAgent(session);
  const agent = { platform, id: credential.bot_id, handle: credential.handle, profile, stateFolder };
  await serveAgent(agent, { ...input, signal: io.signal, report });
}
