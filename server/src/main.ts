#!/usr/bin/env node
import { systemClock } from './platform/clock.ts';
import { makeBackgroundStream, makeLogger } from './platform/logger.ts';
import { findUnknownVariables, readSettings, type Settings, SettingsError } from './platform/settings/settings.ts';
import { serverVersion } from './platform/versions.ts';
import { describeStartFailure } from './process/start-failure.ts';
import { startServer } from './process/start-server.ts';
import { stopOnSignals } from './process/stop-on-signals.ts';
import { StartInterruptedError } from './process/wait-for-writes.ts';
import { firstCommand, welcomeText } from './process/welcome.ts';

const finishLogWithinMs = 1_000;

async function main(): Promise<void> {
  // Makes the files that the process creates readable only by this user.
  process.umask(0o077);
  // By default this signal opens the Node.js debugger, which can run any code. Landlock does not block signals, so an
  // inspector could use the debugger to access everything.
  process.on('SIGUSR1', () => undefined);
  const settings = readSettingsOrExit();
  const background = process.stdout.isTTY ? undefined : makeBackgroundStream(1);
  const log = makeLogger(settings.logLevel, {
    stream: background?.stream ?? process.stdout,
    isTerminal: background === undefined,
  });
  for (const { variable, nearest } of findUnknownVariables(process.env))
    log.warn({ variable, did_you_mean: nearest }, 'unknown setting');
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'internal error: unhandled rejection'));
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'internal error: uncaught exception, the process exits');
    process.exit(1);
  });
  const server = await startServer({ settings, clock: systemClock, log });
  if (process.stdout.isTTY) process.stdout.write(welcomeText(server.url, settings));
  else
    log.info(
      {
        version: serverVersion,
        url: server.url,
        metrics: server.metricsUrl,
        contract: `${server.url}/openapi.json`,
        database: server.store.kind,
        ...(settings.clock === 'test' ? { clock: 'test', now: server.clock().toISOString() } : {}),
        try: firstCommand(server.url),
      },
      'ready',
    );
  stopOnSignals(server, settings.drainSeconds, log, () => background?.finish(finishLogWithinMs));
}

function readSettingsOrExit(): Settings {
  try {
    return readSettings(process.env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\nCorrect them and restart.\n`);
    process.exit(2);
  }
}

main().catch((error: unknown) => {
  if (error instanceof StartInterruptedError) process.exit(0);
  process.stderr.write(
    `The server could not start. ${describeStartFailure(error, process.env['DATABASE_URL'] || undefined)}\n`,
  );
  process.exit(1);
});
