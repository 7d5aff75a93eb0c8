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
import { CuredError } from '../errors/failure.ts';
import type { Io } from '../io/io.ts';
import type { GlobalOptions } from '../options/global-options.ts';
import { explainLongWaits, traceRequests } from '../output/request-trace.ts';
import { keepApart } from '../profiles/keep-apart.ts';
import type { Profiles } from '../profiles/profiles.ts';

/** Where the server is when nobody says anything else: `npm start` on this machine. */
export const defaultBaseUrl = 'http://127.0.0.1:8080';

/** What a verb works with. */
export interface Session {
  readonly io: Io;
  readonly options: GlobalOptions;
  readonly profiles: Profiles;
}

/** An agent of this person, ready to act. */
export interface OpenedAgent {
  readonly profile: string;
  readonly file: string;
  readonly credential: Credential;
  readonly platform: AgentPlatform;
}

/** What a client is made with beside its server. */
export interface PlatformParts {
  readonly credentials?: CredentialStore;
  /** The folder of the outbox, the inbox and the pinned keys. */
  readonly stateFolder?: string;
  readonly hooks?: Hooks;
}

/** Makes the client for a server, with the limits and the tracing that the options ask for. */
export function openPlatform(session: Session, baseUrl: string, parts: PlatformParts = {}): AgentPlatform {
  const { io, options } = session;
  return connect({
    baseUrl,
    credentials: parts.credentials,
    ...(parts.stateFolder === undefined ? {} : { state: folderState(parts.stateFolder) }),
    timeoutMs: options.timeoutMs,
    hooks: { ...(options.verbose ? traceRequests(io) : explainLongWaits(io)), ...parts.hooks },
  });
}

// The SDK names an option of its own for an address without encryption, and
// there is none here: a token that has been in the clear is nobody's alone.
function connect(options: AgentPlatformOptions): AgentPlatform {
  try {
    return new AgentPlatform(options);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    // Throws again when there is more wrong with the address.
    const { baseUrl } = new AgentPlatform({ ...options, allowPlainHttp: true });
    throw new CuredError(
      new ConfigurationError(`The token would travel unencrypted to ${baseUrl}.`),
      'Use https, or an address of this machine such as http://127.0.0.1:8080.',
    );
  }
}

/** Opens the chosen profile: the one that is named, else the current one. */
export async function openAgent(session: Session, hooks: Hooks = {}): Promise<OpenedAgent> {
  const { profiles, options } = session;
  const profile = await profiles.choose(options.profile);
  const file = profiles.fileOf(profile);
  const credential = await loadCredential(profile, file);
  const platform = openPlatform(session, options.baseUrl ?? credential.origin, {
    credentials: keepApart(file, credential.bot_id),
    stateFolder: profiles.stateFolderOf(credential.bot_id),
    hooks,
  });
  return { profile, file, credential, platform };
}

/** Reads the credential of a profile that was there a moment ago. */
export async function loadCredential(profile: string, file: string): Promise<Credential> {
  const credential = await fileCredentials(file).load();
  if (credential !== undefined) return credential;
  throw new CuredError(new Error(`The profile "${profile}" was removed just now.`), 'Look again: agentp profiles list');
}

/**
 * Waits for the answer to a call that must not be repeated. An interruption
 * would lose what the server has done already, so the first one is only
 * answered; the second ends the process.
 */
export async function awaitOnce<T>(io: Io, what: string, call: () => Promise<T>): Promise<T> {
  io.signal.throwIfAborted();
  const explain = (): void => {
    io.stderr.write(`agentp: waiting for the answer, so that ${what} is not lost; interrupt again to give up.\n`);
  };
  io.signal.addEventListener('abort', explain, { once: true });
  try {
    return await call();
  } finally {
    io.signal.removeEventListener('abort', explain);
  }
}
