import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { defineCommand } from '@agent-platform/cli-core/command';
import { openProfiles } from '@agent-platform/cli-core/credentials/profiles';
import { CommandError, UsageError } from '@agent-platform/cli-core/errors/failure';
import type { Io } from '@agent-platform/cli-core/io/io';
import type { ParsedArguments } from '@agent-platform/cli-core/options/parsed-arguments';
import type { StreamItem } from '@agent-platform/cli-core/output/report';
import type { CommandContext } from '@agent-platform/cli-core/session/chosen-credential';
import { version } from '@agent-platform/cli-core/version';
import { Argument, Option } from 'commander';
import { isPublished } from '../../../../install-lines.ts';
import { findCompileCacheFolder } from '../../code-folder.ts';
import { devDataSchema, makeReadyItem, removedItem } from './dev-output.ts';
import { fetchServerPackage, findServerPackage, formatStartCommands, isStartedByNpx } from './find-server.ts';
import { runFirstOrder } from './first-order.ts';
import { devFolderPrefix, grantCredits, parseGrant } from './grant-credits.ts';
import { memoryLimitations, startMemoryServer } from './memory-server.ts';
import { type DevServer, isPortFree, makePortInUseFailure, startDevServer, startOnPort } from './server-process.ts';

const ownFile = fileURLToPath(import.meta.url);
const usualPort = 8080;
const portMax = 65_535;
const parentCheckMs = 500;

export const devCommand = defineCommand({
  path: ['dev'],
  effect: 'write',
  repeat: 'idempotent',
  operations: [],
  prints: 'lines',
  summary: 'start a temporary platform with two friends and a finished order',
  description:
    'Starts the reference server with its embedded database in a temporary folder, registers alice and bob as friends with credits, and runs one order to its end. Their profiles are in a separate folder, which the printed line sets as AGENTP_HOME; your profiles are unchanged. Rate limits are off. Ctrl-C removes everything. Needs the package @agent-platform/server. While it runs, "agentp dev credits grant AGENT CREDITS" in another terminal gives an agent credits. With --memory the platform runs in the memory of this process and is ready in less than a second, and needs no package; nothing is stored, files are not inspected, and no more credits can be granted.',
  examples: [
    'agentp dev',
    'agentp dev --memory',
    'agentp dev --port 9000',
    'agentp dev --json',
    'agentp dev credits grant bob 50',
  ],
  arguments: [new Argument('[words...]', 'credits grant AGENT CREDITS: grant credits in a running "agentp dev"')],
  options: [
    new Option('--port <number>', 'the port; default: 8080, or a free port if it is in use'),
    new Option('--memory', 'run the platform in memory; ready in less than a second'),
  ],
  out: devDataSchema,
  parse: (args) =>
    parseGrant(args.words, args.text('base-url')) ?? { port: readPort(args), isInMemory: args.flag('memory') },
  run: async (chosen, session) => {
    if ('agent' in chosen) {
      const { io } = session;
      const found = await loadServer(io, formatStartCommands(io.env, version, ownFile).installLine, () => undefined);
      return { items: grantCredits(chosen, io, found.program) };
    }
    const folder = await mkdtemp(join(tmpdir(), devFolderPrefix));
    return { items: runDev(chosen, session, folder), endsByInterruption: true };
  },
});

function readPort(args: ParsedArguments): number | undefined {
  const text = args.text('port');
  const port = text === undefined ? undefined : /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port === undefined || (port > 0 && port <= portMax)) return port;
  throw new UsageError(`--port "${text}" is not a port from 1 to ${portMax}.`, 'For example: --port 9000');
}

/** Runs the platform in a folder until the session is interrupted, and removes the folder. */
export async function* runDev(
  { port, isInMemory }: { readonly port: number | undefined; readonly isInMemory: boolean },
  session: CommandContext,
  folder: string,
): AsyncGenerator<StreamItem, void> {
  const { io } = session;
  const startedAt = io.now().getTime();
  const tell = (text: string) => io.stderr.write(`${text}\n`);
  const programs = formatStartCommands(io.env, version, ownFile);
  const aborted = rejectOnAbort(io.signal);
  const parentEnd = isStartedByNpx(io.env) ? [whenParentEnds()] : [];
  let server: DevServer | undefined;
  let isReady = false;
  try {
    const makeServer = isInMemory ? startMemoryServer : await prepareServer(io, folder, programs.installLine, tell);
    const chosenPort = await choosePort(port, tell);
    tell(isInMemory ? `Starting in memory: ${memoryLimitations} …` : 'Starting the server with an empty database …');
    const start = (at: number) => {
      server = makeServer(at);
      return server;
    };
    const listening = startOnPort(start, { port: chosenPort, isNamed: port !== undefined }, tell);
    // The race below reports a failure; this catch only prevents an unhandled rejection.
    listening.catch(() => undefined);
    const { running, url } = await Promise.race([listening, aborted]);
    const home = join(folder, 'home');
    const profiles = openProfiles({ env: { AGENTP_HOME: home }, homeFolder: folder });
    const { grant } = running;
    const { agents, order } = await runFirstOrder({ session, profiles, url, grant, tell });
    const seconds = Math.round((io.now().getTime() - startedAt) / 1_000);
    yield makeReadyItem({ isInMemory, url, folder, home, agents, order, seconds, programs });
    isReady = true;
    await Promise.race([running.ended, aborted, ...parentEnd]);
  } catch (error) {
    if (!io.signal.aborted) throw error;
    if (!isReady) throw io.signal.reason;
  } finally {
    await server?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  yield removedItem;
}

async function prepareServer(io: Io, folder: string, installLine: string, tell: (text: string) => void) {
  const { entry } = await loadServer(io, installLine, tell);
  // A checkout has no cache, because its sources change without a new version. The folder may also be missing.
  const codeFolder = findCompileCacheFolder(io.env, io.homeFolder);
  const cache = entry.endsWith('.ts') || !existsSync(codeFolder) ? undefined : codeFolder;
  return (port: number) => startDevServer(entry, folder, port, cache);
}

async function loadServer({ env, homeFolder, signal }: Io, installLine: string, tell: (text: string) => void) {
  try {
    return findServerPackage([ownFile], version, installLine);
  } catch (error) {
    if (!(isPublished && error instanceof CommandError && isStartedByNpx(env))) throw error;
    tell('Fetching the server with npx …');
    const file = await fetchServerPackage(env, version, findCompileCacheFolder(env, homeFolder), signal, tell);
    return findServerPackage([file], version, installLine);
  }
}

/** Resolves when the parent process ends, because this process would continue if a signal killed only npx. */
function whenParentEnds(): Promise<void> {
  const parent = process.ppid;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    resolve();
  }, parentCheckMs).unref();
  return promise;
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  // Callers race this promise; this catch only prevents an unhandled rejection.
  promise.catch(() => undefined);
  return promise;
}

async function choosePort(port: number | undefined, tell: (text: string) => void): Promise<number> {
  if (await isPortFree(port ?? usualPort)) return port ?? usualPort;
  if (port === undefined) {
    tell(`Port ${usualPort} is in use; using a free one.`);
    return 0;
  }
  throw makePortInUseFailure(`Port ${port} is in use or not permitted.`);
}
