import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { noHooks, type RunOptions } from '@agent-platform/conformance';
import { makeLogger, type RunningServer, readSettings, startServer, systemClock } from '@agent-platform/server';
import { copyTemplateDatabase } from '@agent-platform/testing/template-database';

/** A server of the reference, in this process. */
export interface ReferenceServer extends Pick<RunningServer, 'url' | 'store' | 'clock' | 'stop'> {
  /** Where its event stream is. */
  readonly wsUrl: string;
  /** What a run needs beside the address, to test all that there is to test. */
  readonly means: {
    readonly wsUrl: string;
    readonly hooks: RunOptions['hooks'] & { readonly grant: string };
  };
  /** Suspends an agent; a run with it makes one registration more. */
  readonly suspendCommand: string;
  /** The settings that it was started with. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The limits that a test with many runs would run into. */
export const withoutLimits = {
  PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '0',
  PLATFORM_REGISTRATIONS_PER_HOUR: '0',
  PLATFORM_WRITES_PER_MINUTE: '0',
  PLATFORM_CONTACT_REQUESTS_PER_MINUTE: '0',
  PLATFORM_MESSAGES_PER_MINUTE: '0',
  PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '0',
} as const;

const operatorProgram = fileURLToPath(new URL('operate.mjs', import.meta.url));

/** Says nothing but what ends a server. */
export const quiet = makeLogger('fatal', { stream: process.stderr, isTerminal: false });

/** Starts the reference server on a free port with a database of its own, and these settings beside the defaults. */
export async function startReferenceServer(settings: Readonly<Record<string, string>> = {}): Promise<ReferenceServer> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-server-'));
  const copy = await copyTemplateDatabase();
  // A backup of the embedded database, after ten minutes, would take the time of a run.
  const own = { PORT: '0', PLATFORM_DATA_DIR: folder, PLATFORM_BACKUP_HOURS: '0' };
  const environment = { ...own, ...copy.environment, ...settings };
  const { url, store, clock, stop } = await startServer({
    settings: readSettings(environment),
    clock: systemClock,
    log: quiet,
  });
  const wsUrl = url.replace(/^http/, 'ws');
  const operate = `'${process.execPath}' '${operatorProgram}' '${folder}'`;
  const grant = `${operate} grant {bot_id} {amount_minor}`;
  // Only a server that is started so has a clock that moves.
  const clockCommand = settings['PLATFORM_CLOCK'] === 'test' ? `${operate} advance {seconds}` : undefined;
  return {
    url,
    wsUrl,
    means: { wsUrl, hooks: { ...noHooks, grant, clock: clockCommand } },
    suspendCommand: `${operate} suspend {bot_id}`,
    store,
    clock,
    environment,
    stop: async () => {
      await stop();
      await copy.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What a run needs beside the address, the suspension of an agent included, which takes a registration more. */
export function allHooksOf({ means, suspendCommand }: Pick<ReferenceServer, 'means' | 'suspendCommand'>) {
  return { ...means.hooks, suspend: suspendCommand };
}
