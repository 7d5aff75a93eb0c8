import * as sdk from '@agent-platform/sdk';
import { makeProfileCredentials } from '../credentials/credential-lifecycle.ts';
import { HintedError } from '../errors/failure.ts';
import type { Io } from '../io/io.ts';
import { makeRetryTraceHooks, makeTracingFetch } from '../output/exchange-trace.ts';
import { makeLongWaitHooks, makeRequestTraceHooks } from '../output/request-trace.ts';
import { type CommandContext, chooseCredential } from './chosen-credential.ts';

/** The default server: `npm start` on this machine. */
export const defaultBaseUrl = 'http://127.0.0.1:8080';

/** An agent of this machine: its profile, its credential, its state folder and its client. */
export type OpenedAgent = Awaited<ReturnType<typeof openAgent>>;

export function openPlatform(
  { io, options }: CommandContext,
  baseUrl: string,
  parts: Partial<Pick<sdk.AgentPlatformOptions, 'credentials' | 'state' | 'hooks'>> = {},
): sdk.AgentPlatform {
  const report = options.trace
    ? makeRetryTraceHooks(io)
    : options.verbose
      ? makeRequestTraceHooks(io)
      : makeLongWaitHooks(io);
  const hooks = { ...report, ...parts.hooks };
  const fetch = options.trace ? makeTracingFetch(io) : undefined;
  const settings = { ...parts, baseUrl, timeoutMs: options.timeoutMs, hooks, fetch };
  try {
    return new sdk.AgentPlatform(settings);
  } catch (error) {
    if (!(error instanceof sdk.ConfigurationError)) throw error;
    // The SDK's error suggests `allowPlainHttp`, which this program does not offer: a token must not be sent
    // unencrypted. The constructor throws again if the address is invalid for another reason.
    const platform = new sdk.AgentPlatform({ ...settings, allowPlainHttp: true });
    throw new HintedError(
      new sdk.ConfigurationError(`The token would be sent unencrypted to ${platform.baseUrl}.`),
      'Use https, or an address of this machine such as http://127.0.0.1:8080.',
    );
  }
}

export async function openAgent(session: CommandContext, hooks: sdk.Hooks = {}) {
  const { profiles, options, io } = session;
  const { profile, file, credential } = await chooseCredential(session);
  const stateFolder = profiles.stateFolderOf(credential.bot_id);
  const platform = openPlatform(session, options.baseUrl ?? credential.origin, {
    credentials: makeProfileCredentials(profiles, profile),
    // The outbox, the inbox and the pinned keys.
    state: sdk.folderState(stateFolder),
    hooks,
  });
  // Suggested command lines end with `profileOption`, so that they act as the same agent.
  const other = await profiles.findOther(profile);
  const profileOption = other === undefined ? '' : ` --profile ${other}`;
  return {
    profile,
    profileOption,
    file,
    credential,
    stateFolder,
    platform,
    me: credential.bot_id,
    io,
    signal: io.signal,
  };
}

/**
 * Waits for a response that must not be lost. The first interruption is only reported, because aborting the request
 * would lose the server's result; the second one ends the process.
 */
export async function awaitDespiteInterruption<T>(io: Io, result: string, request: () => Promise<T>): Promise<T> {
  io.signal.throwIfAborted();
  const report = (): void => {
    io.stderr.write(`agentp: waiting for the response, so that ${result} is not lost; interrupt again to stop.\n`);
  };
  io.signal.addEventListener('abort', report, { once: true });
  try {
    return await request();
  } finally {
    io.signal.removeEventListener('abort', report);
  }
}
