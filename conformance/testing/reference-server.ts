import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { noHooks, type RunOptions } from '@agent-platform/conformance';
import { makeLogger, type RunningServer, readSettings, startServer, systemClock } from '@agent-platform/server';
import { copyTemplateDatabase } from '@agent-platform/testing/template-database';

/** A reference server that runs in this process. */
export interface ReferenceServer extends Pick<RunningServer, 'url' | 'store' | 'clock' | 'stop'> {
  readonly wsUrl: string;
  /** The run options for testing everything except suspension. */
  readonly means: {
    readonly wsUrl: string;
    readonly hooks: RunOptions['hooks'] & { readonly grant: string };
  };
  /** The command that suspends an agent; a run that uses it needs one more registration. */
  readonly suspendCommand: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Settings that disable the rate limits that tests with many runs would reach. */
export const unlimitedSettings = {
  PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '0',
  PLATFORM_REGISTRATIONS_PER_HOUR: '0',
  PLATFORM_WRITES_PER_MINUTE: '0',
  PLATFORM_CONTACT_REQUESTS_PER_MINUTE: '0',
  PLATFORM_MESSAGES_PER_MINUTE: '0',
  PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '0',
} as const;

const operatorProgram = fileURLToPath(new URL('operate.mjs', import.meta.url));

export const quietLogger = makeLogger('fatal', { stream: process.stderr, isTerminal: false });

/** Starts the reference server on a free port, with its own database and the default settings except these. */
export async function startReferenceServer(settings: Readonly<Record<string, string>> = {}): Promise<ReferenceServer> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-server-'));
  const copy = await copyTemplateDatabase();
  // A backup of the embedded database would slow down a run after ten minutes.
  const own = { PORT: '0', PLATFORM_DATA_DIR: folder, PLATFORM_BACKUP_HOURS: '0' };
  const environment = { ...own, ...copy.environment, ...settings };
  const { url, store, clock, stop } = await startServer({
    settings: readSettings(environment),
    clock: systemClock,
    log: quietLogger,
  });
  const wsUrl = url.replace(/^http/, 'ws');
  const operate = `'${process.execPath}' '${operatorProgram}' '${folder}'`;
  const grant = `${operate} grant {bot_id} {amount_minor}`;
  // Without this setting, the clock of the server cannot be moved.
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

/** The hooks for a complete run. With them, a run also suspends an agent and needs one more registration. */
export function allHooksOf({ means, suspendCommand }: Pick<ReferenceServer, 'means' | 'suspendCommand'>) {
  return { ...means.hooks, suspend: suspendCommand };
}
