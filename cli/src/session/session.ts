import {
  AgentPlatform,
  type AgentPlatformOptions,
  ConfigurationError,
  type Credential,
  type CredentialStore,
  fileCredentials,
  folderState,
  type Hooks,
} from '@agent-platform/sdk';
import { HintedError } from '../errors/failure.ts';
import type { Io } from '../io/io.ts';
import type { GlobalOptions } from '../options/global-options.ts';
import { reportLongWaits, traceRequests } from '../output/request-trace.ts';
import { profileCredentials } from '../profiles/credential-lifecycle.ts';
import type { Profiles } from '../profiles/profiles.ts';

/** The default server: `npm start` on this machine. */
export const defaultBaseUrl = 'http://127.0.0.1:8080';

/** The environment of a command. */
export interface Session {
  readonly io: Io;
  readonly options: GlobalOptions;
  readonly profiles: Profiles;
}

/** The agent of a profile, ready to act. */
export interface OpenedAgent {
  readonly profile: string;
  readonly file: string;
  readonly credential: Credential;
  readonly platform: AgentPlatform;
  /** The id of the agent. */
  readonly me: string;
  readonly io: Io;
  /** Aborts the requests of the command. */
  readonly signal: AbortSignal;
}

interface PlatformParts {
  readonly credentials?: CredentialStore;
  /** The folder of the outbox, the inbox and the pinned keys. */
  readonly stateFolder?: string;
  readonly hooks?: Hooks;
}

/** Makes the client for a server, with the time limit and the trace of the options. */
export function openPlatform(session: Session, baseUrl: string, parts: PlatformParts = {}): AgentPlatform {
  const { io, options } = session;
  return connect({
    baseUrl,
    credentials: parts.credentials,
    ...(parts.stateFolder === undefined ? {} : { state: folderState(parts.stateFolder) }),
    timeoutMs: options.timeoutMs,
    hooks: { ...(options.verbose ? traceRequests(io) : reportLongWaits(io)), ...parts.hooks },
  });
}

// The error of the SDK names an option of the SDK, which this program does not
// offer: a token must not be sent without encryption.
function connect(options: AgentPlatformOptions): AgentPlatform {
  try {
    return new AgentPlatform(options);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    // Throws again when the address is wrong in another way.
    const { baseUrl } = new AgentPlatform({ ...options, allowPlainHttp: true });
    throw new HintedError(
      new ConfigurationError(`The token would travel unencrypted to ${baseUrl}.`),
      'Use https, or an address of this machine such as http://127.0.0.1:8080.',
    );
  }
}

/** Opens the agent of the profile of `--profile`, else of the current profile. */
export async function openAgent(session: Session, hooks: Hooks = {}): Promise<OpenedAgent> {
  const { profiles, options } = session;
  const profile = await profiles.choose(options.profile);
  const file = profiles.fileOf(profile);
  const credential = await loadCredential(profile, file);
  const platform = openPlatform(session, options.baseUrl ?? credential.origin, {
    credentials: profileCredentials(profiles, profile),
    stateFolder: profiles.stateFolderOf(credential.bot_id),
    hooks,
  });
  return { profile, file, credential, platform, me: credential.bot_id, io: session.io, signal: session.io.signal };
}

/** Reads the credential of a profile that existed a moment ago. */
export async function loadCredential(profile: string, file: string): Promise<Credential> {
  const credential = await fileCredentials(file).load();
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
