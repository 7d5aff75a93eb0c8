import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentPlatform } from '@agent-platform/sdk';
import { openJournal, readSpendingPolicy } from '@agent-platform/sdk/approvals';
import {
  type ActClass,
  allowableClasses,
  EventReceiver,
  type Policy,
  selectTools,
  ToolFailure,
} from '@agent-platform/sdk/tools';
import { ApprovalPageServer } from '../http/approval-page.ts';
import { serveHttp } from '../http/serve-http.ts';
import { openFilesFolder } from './files-folder.ts';
import { makeMcpServer, prepareTools } from './make-server.ts';
import { RunningCalls } from './running-calls.ts';
import { RequestSealer } from './sealed-request.ts';
import { serveStdin } from './serve-stdin.ts';

// Clients kill a server after 2 s. Unfinished requests stay in the outbox for the next start.
const endsWithinMs = 1_500;

/** The agent on whose behalf a server acts. */
export interface ServedAgent {
  readonly platform: AgentPlatform;
  readonly id: string;
  readonly handle: string;
  /** The `agentp` profile, for the command lines that the user is asked to run. */
  readonly profile: string | undefined;
  /** The folder `state/ID` of the agent below the folder of all profiles; it contains the journal of this server. */
  readonly stateFolder: string;
}

/** The options of a server. */
export interface ServeOptions {
  /** Names of tools or nouns, or `core`; default: all tools. */
  readonly tools?: readonly string[] | undefined;
  /** Lists output schemas, and returns results as structured content. */
  readonly hasOutputSchemas?: boolean | undefined;
  /** Omits the tools that change data. */
  readonly isReadOnly?: boolean | undefined;
  /** Classes of acts that need no confirmation: `publish`, `files`, `rights`, `contacts`, `block`, `delete`. */
  readonly allow?: readonly string[] | undefined;
  /** The minor units that may be spent in 24 hours without a confirmation. Default 0: none. */
  readonly spendLimitMinor?: number | undefined;
  /** The folder for files to upload; downloads go to its subfolder `received`. File tools require this option. */
  readonly filesFolder?: string | undefined;
  /** A port of the loopback interface, 0 for a free one; without it the server uses stdin and stdout. */
  readonly httpPort?: number | undefined;
  /** The server ends when this signal aborts. */
  readonly signal: AbortSignal;
  /** Writes a line for the person who started the server, never with tokens, keys or texts from other agents. */
  readonly report: (line: string) => void;
}

/**
 * Serves the tools of an agent until the client closes stdin or the signal aborts. First resends the order commands and
 * messages of an earlier run whose outcome is unknown.
 *
 * @throws ToolFailure `unknown_tool`, `unknown_class`, `no_tools`, `unsafe_files_folder`, `journal_newer`, `journal_unusable`
 */
export async function serveAgent(agent: ServedAgent, options: ServeOptions): Promise<void> {
  const { report, filesFolder: folder } = options;
  const tools = chooseTools(options);
  const policy = readPolicy(options);
  await mkdir(agent.stateFolder, { recursive: true, mode: 0o700 });
  const filesFolder =
    folder === undefined ? undefined : await openFilesFolder(folder, join(agent.stateFolder, '../..'));
  reportInvalidPolicy(agent.stateFolder, report);
  const journal = openJournal(agent.stateFolder);
  const page = new ApprovalPageServer(journal.approvals, agent.id);
  const ending = new AbortController();
  const events = new EventReceiver(agent.platform, ending.signal);
  const running = new RunningCalls();
  try {
    await resume(agent.platform, report);
    const names = new Set(tools.map(({ name }) => name));
    const { id, handle, platform, profile } = agent;
    const context = {
      platform,
      me: { id, handle },
      filesFolder,
      events,
      uploads: journal,
      now: () => new Date(),
      offers: (name: string) => names.has(name),
    };
    const server = { context, policy, sealer: new RequestSealer(Date.now), journal, page, running, profile, report };
    const prepared = prepareTools(tools, options.hasOutputSchemas);
    const make = () => makeMcpServer(server, prepared);
    const found = `${tools.length} tools as ${handle}`;
    if (options.httpPort === undefined)
      await serveStdin(make, options.signal, () => report(`serving ${found} on stdin and stdout`));
    else
      await serveHttp(make, {
        port: options.httpPort,
        folder: agent.stateFolder,
        signal: options.signal,
        report,
        found,
      });
  } finally {
    ending.abort();
    await Promise.all([events.ended(), running.ended(endsWithinMs), page.close()]);
    journal.close();
    await agent.platform.close();
  }
}

function chooseTools({ tools, isReadOnly = false, filesFolder }: ServeOptions) {
  const chosen = selectTools({ names: tools, isReadOnly, hasFiles: filesFolder !== undefined });
  if (chosen.length > 0) return chosen;
  throw new ToolFailure(
    'no_tools',
    'No tool is left.',
    '--read-only removes all tools that change data; uploads and downloads need --files-folder.',
  );
}

// Only orders need the policy; the journal refuses them until the file is corrected.
function reportInvalidPolicy(stateFolder: string, report: (line: string) => void): void {
  try {
    readSpendingPolicy(stateFolder);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    report(`orders are refused: ${error.message} ${error.hint}`);
  }
}

function readPolicy({ allow = [], spendLimitMinor = 0 }: ServeOptions): Policy {
  const allowed = allow.map((name): ActClass => {
    const known = allowableClasses.find((actClass) => actClass === name);
    if (known !== undefined) return known;
    const hint =
      name === 'money' ? 'Use --spend-limit-minor to permit payments.' : `There are: ${allowableClasses.join(', ')}`;
    throw new ToolFailure('unknown_class', `"${name}" cannot be allowed.`, hint);
  });
  return { allowed: new Set(allowed), spendLimitMinor };
}

async function resume({ messages, orders }: AgentPlatform, report: (line: string) => void): Promise<void> {
  try {
    const resumed = [...(await messages.resume()), ...(await orders.resume())];
    const refused = resumed.filter(({ outcome }) => outcome === 'refused').length;
    if (resumed.length > 0) report(`sent ${resumed.length} requests of an earlier run again; ${refused} were refused`);
  } catch (error) {
    // The server may be down; stored requests are sent later.
    report(`requests of an earlier run were not sent: ${error instanceof Error ? error.name : 'unknown'}`);
  }
}
