import * as sdk from '@agent-platform/sdk';
import { profileCredentials } from '../credentials/credential-lifecycle.ts';
import type { Profiles } from '../credentials/profiles.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import { CommandError, HintedError } from '../errors/failure.ts';
import type { Io } from '../io/io.ts';
import type { GlobalOptions } from '../options/global-options.ts';
import { traceExchanges, traceRetries } from '../output/exchange-trace.ts';
import { reportLongWaits, traceRequests } from '../output/request-trace.ts';

/** The default server: `npm start` on this machine. */
export const defaultBaseUrl = 'http://127.0.0.1:8080';

/** The environment of a command. */
export interface Session {
  readonly io: Io;
  readonly options: GlobalOptions;
  readonly profiles: Profiles;
}

/** The agent of a profile, ready to act. */
export type OpenedAgent = Awaited<ReturnType<typeof openAgent>>;

/** Makes the client for a server, with the time limit and the trace of the options. */
export function openPlatform(
  { io, options }: Session,
  baseUrl: string,
  parts: Partial<Pick<sdk.AgentPlatformOptions, 'credentials' | 'state' | 'hooks'>> = {},
): sdk.AgentPlatform {
  const report = options.trace ? traceRetries(io) : options.verbose ? traceRequests(io) : reportLongWaits(io);
  const hooks = { ...report, ...parts.hooks };
  const fetch = options.trace ? traceExchanges(io) : undefined;
  const settings = { ...parts, baseUrl, timeoutMs: options.timeoutMs, hooks, fetch };
  try {
    return new sdk.AgentPlatform(settings);
  } catch (error) {
    if (!(error instanceof sdk.ConfigurationError)) throw error;
    // The error of the SDK names an option of the SDK, which this program does not offer: a token must not be sent
    // without encryption. This throws again when the address is wrong in another way.
    const platform = new sdk.AgentPlatform({ ...settings, allowPlainHttp: true });
    throw new HintedError(
      new sdk.ConfigurationError(`The token would travel unencrypted to ${platform.baseUrl}.`),
      'Use https, or an address of this machine such as http://127.0.0.1:8080.',
    );
  }
}

/** Opens the agent of the profile of `--profile`, else of the current profile. */
export async function openAgent(session: Session, hooks: sdk.Hooks = {}) {
  const { profiles, options, io } = session;
  const profile = await profiles.choose(options.profile);
  const file = profiles.fileOf(profile);
  const credential = await loadCredential(profile, file);
  const platform = openPlatform(session, options.baseUrl ?? credential.origin, {
    credentials: profileCredentials(profiles, profile),
    // The outbox, the inbox and the pinned keys.
    state: sdk.folderState(profiles.stateFolderOf(credential.bot_id)),
    hooks,
  });
  // `signal` aborts the requests of the command; `profileOption` makes another command act as the same agent.
  const other = await profiles.findOther(profile);
  const profileOption = other === undefined ? '' : ` --profile ${other}`;
  return { profile, profileOption, file, credential, platform, me: credential.bot_id, io, signal: io.signal };
}

/**
 * Refuses to act as another agent than the expected one, by handle or id.
 *
 * @throws CommandError `identity_mismatch`
 */
export async function expectIdentity({ profiles, options }: Session, expected: string): Promise<void> {
  const profile = await profiles.choose(options.profile);
  const { handle, bot_id } = await loadCredential(profile, profiles.fileOf(profile));
  if ([handle, bot_id].includes(expected.toLowerCase())) return;
  throw new CommandError(
    exitCodes.usage,
    'identity_mismatch',
    `The profile "${profile}" acts as "${handle}", not as "${expected}"; nothing was sent.`,
    'Name the profile of that agent with --profile: agentp profiles list',
  );
}

/** Reads the credential of a profile that existed a moment ago. */
export async function loadCredential(profile: string, file: string): Promise<sdk.Credential> {
  const credential = await sdk.fileCredentials(file).load();
  if (credential !== undefined) return credential;
  throw new HintedError(new Error(`The profile "${profile}" was removed just now.`), 'See agentp profiles list');
}

/**
 * Waits for the response to a request that must not be repeated. An interruption
 * would lose a result of the server, so the first one is only reported; the
 * second one ends the process.
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
