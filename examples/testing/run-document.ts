import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { makeLogger, readSettings, runOperator, startServer, systemClock } from '@agent-platform/server';
import { copyEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { vi } from 'vitest';
import { runCli } from '../../cli/src/index.ts';
import { captureIo } from '../../cli/testing/captured-io.ts';
import { runCommand } from '../../conformance/src/run-command.ts';
import type { DocumentBlock } from './blocks.ts';
import { openShell, type ShellCall, type ShellResult } from './shell.ts';

const shownUrl = 'http://127.0.0.1:8080';
const examples = fileURLToPath(new URL('../', import.meta.url));

/** The environment of a reader of the documents: a server, a folder and a terminal, all in this process. */
export type DocumentReader = Awaited<ReturnType<typeof openDocumentReader>>;

/** Starts a server like `npm start`, with an embedded database in the reader's folder `data`. */
export async function openDocumentReader(settings: Readonly<Record<string, string>> = {}) {
  const folder = makeTestFolder();
  const dataDir = join(folder, 'data');
  copyEmptyDatabase(dataDir);
  // Raises the limit, because all documents together register more agents per hour than an address may.
  const limits = { PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '50' };
  const environment = { PORT: '0', LOG_LEVEL: 'fatal', PLATFORM_DATA_DIR: dataDir, ...limits, ...settings };
  const log = makeLogger('fatal', { stream: process.stderr, isTerminal: false });
  const server = await startServer({ settings: readSettings(environment), clock: systemClock, log });
  const before = process.cwd();
  const here = (text: string) =>
    text.replaceAll(shownUrl, server.url).replaceAll('ws://127.0.0.1:8080', wsOf(server.url));
  const shown = (text: string) => text.replaceAll(server.url, shownUrl);
  const home = join(folder, 'agentp');
  const shell = await openShell(
    (call) => execute(call, { AGENTP_HOME: home, AGENTP_BASE_URL: server.url }, environment),
    { AGENTP_HOME: home },
  );
  // Paths in commands and programs are relative to the reader's folder.
  process.chdir(folder);
  const printed: string[] = [];
  const spy = vi.spyOn(console, 'log').mockImplementation((...values: unknown[]) => {
    printed.push(values.map(String).join(' '));
  });
  let programs = 0;
  return {
    folder,
    home,
    url: server.url,
    /** Saves a program under the name on its first line. */
    async saveProgram(code: string) {
      await writeFile(join(folder, /^# (\S+)/.exec(code)?.[1] ?? ''), here(code));
    },
    runShell: async (code: string) => shown(await shell.run(here(code), folder)),
    runOnTerminal: async (line: string) => shown(await shell.run(here(line), folder, { ON_TERMINAL: '1' })),
    /** Runs a program until it ends or, if it handles signals, until it prints; returns its output. */
    async runProgram(code: string) {
      programs += 1;
      const file = join(examples, `snippet-${process.pid}-${programs}.ts`);
      const from = printed.length;
      const signals = process.listeners('SIGTERM');
      try {
        await writeFile(file, here(code));
        const running = import(pathToFileURL(file).href);
        const listens = /process\.once\(|handleSignals/.test(code);
        await (listens
          ? Promise.race([running, vi.waitUntil(() => printed.length > from, { timeout: 120_000 })])
          : running);
        const stop = async () => {
          for (const listener of process.listeners('SIGTERM').filter((one) => !signals.includes(one)))
            listener('SIGTERM');
          await running;
        };
        return { lines: printed.slice(from), stop };
      } finally {
        await rm(file, { force: true });
      }
    },
    async close() {
      await server.stop();
      spy.mockRestore();
      process.chdir(before);
      shell.close();
    },
  };
}

const wsOf = (url: string) => url.replace(/^http/, 'ws');

async function execute(
  { name, words, folder, env, isTerminal }: ShellCall,
  cliEnvironment: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>>,
): Promise<ShellResult> {
  process.chdir(folder);
  const written = { stdout: '', stderr: '' };
  const out = (text: string) => {
    written.stdout += text;
  };
  const err = (text: string) => {
    written.stderr += text;
  };
  if (name === 'agentp') {
    const { io, stdout, stderr } = captureIo({ env: { ...cliEnvironment, ...env }, isTerminal });
    const exitCode = await runCli(words, io);
    return { exitCode, stdout: stdout(), stderr: stderr() };
  }
  if (name === 'operator') {
    const { AGENTP_PASSPHRASE: _, ...own } = env;
    const dataDir = resolve(env['PLATFORM_DATA_DIR'] ?? environment['PLATFORM_DATA_DIR'] ?? '');
    // Combines both streams, as a terminal does.
    const exitCode = await runOperator(words, {
      env: { ...environment, ...own, PLATFORM_DATA_DIR: dataDir },
      nodeVersion: process.version,
      uid: process.getuid?.(),
      clock: systemClock,
      out,
      err: isTerminal ? out : err,
      errorStream: process.stderr,
    });
    return { exitCode, ...written };
  }
  if (name === 'conformance') return { exitCode: await runCommand(words, { out, err }), ...written };
  throw new Error(`No test executes "npm run ${name}".`);
}

/** Runs every block of a document in sequence, and returns the output of each. */
export async function runBlocks(
  reader: DocumentReader,
  blocks: readonly DocumentBlock[],
  beforeItEnds?: () => Promise<unknown>,
): Promise<readonly string[]> {
  const outputs: string[] = [];
  const stops: (() => Promise<void>)[] = [];
  for (const { language, code } of blocks) {
    if (language === 'sh') outputs.push(await reader.runShell(code));
    if (language === 'python') await reader.saveProgram(code);
    if (language === 'console') outputs.push(await runSession(reader, code));
    if (language === 'ts') {
      const { lines, stop } = await reader.runProgram(code);
      stops.push(stop);
      outputs.push(lines.join('\n'));
    }
  }
  await beforeItEnds?.();
  for (const stop of stops) await stop();
  return outputs;
}

/** Runs the commands of a session, and returns the session as it would be printed in the document. */
async function runSession(reader: DocumentReader, code: string): Promise<string> {
  const parts = code.split(/^\$ /m).slice(1);
  const shown = [];
  for (const part of parts) {
    const command = part.slice(0, part.indexOf('\n'));
    const output = await reader.runOnTerminal(`${command} || true`);
    shown.push(`$ ${command}\n${output.trimEnd()}\n${part.endsWith('\n\n') ? '\n' : ''}`);
  }
  return shown.join('');
}
