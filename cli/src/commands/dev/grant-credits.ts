import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { exitCodes } from '@agent-platform/cli-core/errors/exit-codes';
import { CommandError, messageOf, UsageError } from '@agent-platform/cli-core/errors/failure';
import type { Io } from '@agent-platform/cli-core/io/io';
import { parseCreditsOption } from '@agent-platform/cli-core/options/option-groups';
import { formatAmount } from '@agent-platform/cli-core/output/amounts';
import type { StreamItem } from '@agent-platform/cli-core/output/report';
import { dataFolderOf, makeServerEnvironment } from './server-process.ts';

export const devFolderPrefix = 'agentp-dev-';

interface Grant {
  readonly agent: string;
  readonly amountMinor: number;
}

/** Parses `credits grant AGENT CREDITS`; returns undefined if there are no words. */
export function parseGrant(words: readonly string[], baseUrl?: string): Grant | undefined {
  if (words.length === 0) return undefined;
  const [noun, verb, agent, credits, ...more] = words;
  if (noun !== 'credits' || verb !== 'grant' || agent === undefined || credits === undefined || more.length > 0) {
    throw new UsageError(
      `"agentp dev ${words.join(' ')}" is not a command.`,
      'For example: agentp dev credits grant bob 50',
    );
  }
  if (baseUrl !== undefined) {
    throw new UsageError(
      'A grant needs a running "agentp dev" on this machine; AGENTP_HOME selects it, not --base-url.',
      'Run the line "export AGENTP_HOME=…" that it printed, and omit --base-url',
    );
  }
  return { agent, amountMinor: parseCreditsOption('CREDITS', credits) };
}

/** Finds the folder of a running `agentp dev`: the folder of AGENTP_HOME, or else the only one on this machine. */
export function findRunningDevFolder(env: Io['env'], temporaryFolder: string): string {
  const isRunning = (folder: string) => existsSync(join(dataFolderOf(folder), 'operator.sock'));
  const named = dirname(env['AGENTP_HOME'] ?? '');
  if (basename(named).startsWith(devFolderPrefix) && isRunning(named)) return named;
  const names = readdirSync(temporaryFolder).filter((name) => name.startsWith(devFolderPrefix));
  const [found, ...others] = names.map((name) => join(temporaryFolder, name)).filter(isRunning);
  if (found !== undefined && others.length === 0) return found;
  const [message, hint] =
    found === undefined
      ? ['No "agentp dev" is running.', 'Start one in another terminal, without --memory: agentp dev']
      : ['More than one "agentp dev" is running.', 'Run the line "export AGENTP_HOME=…" that one of them printed'];
  throw new CommandError(exitCodes.unexpected, 'dev_not_found', message, hint);
}

/** Grants credits as the operator of the running platform, through the server's program. */
export async function* grantCredits(
  { agent, amountMinor }: Grant,
  io: Io,
  program: string,
): AsyncGenerator<StreamItem, void> {
  const words = [program, 'operator', 'credits', 'grant', agent, String(amountMinor), '--json'];
  const env = {
    ...makeServerEnvironment(process.env),
    PLATFORM_DATA_DIR: dataFolderOf(findRunningDevFolder(io.env, tmpdir())),
  };
  const { stdout } = await promisify(execFile)(process.execPath, words, { env, signal: io.signal }).catch(refuse);
  const { available_minor } = JSON.parse(stdout);
  yield {
    data: { status: 'granted', agent, amount_minor: amountMinor, available_minor },
    format: () => `${agent} received ${formatAmount(amountMinor)} and now has ${formatAmount(available_minor)}.\n`,
  };
}

function refuse(error: unknown): never {
  const printed = String(Reflect.get(Object(error), 'stderr') || messageOf(error));
  const [, report] = /(\{\s*"error":.*\})\s*$/s.exec(printed) ?? [];
  const message = report === undefined ? printed.trim() : JSON.parse(report).error.message;
  throw new CommandError(exitCodes.unexpected, 'not_granted', message, 'For example: agentp dev credits grant bob 50');
}
