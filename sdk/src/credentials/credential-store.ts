import { type Credential, hideCredentialSecrets } from '../credential.ts';

/** Stores the credential of one agent. */
export interface CredentialStore {
  /** The last saved credential, or undefined. */
  load(): Promise<Credential | undefined>;
  /** Resolves only when the credential would survive a crash. */
  save(credential: Credential): Promise<void>;
  /** Checks, as far as possible, that a later `save` will succeed. Called before a request that issues a token. */
  check(): Promise<void>;
  /**
   * True if the next start of the program will load an older credential from elsewhere, so tokens are not rotated
   * automatically. Default false.
   */
  readonly isCopy?: boolean | undefined;
}

/**
 * Stores the credential in memory: for tests, and for programs that store it themselves. An initial credential counts
 * as a copy, whose token is not rotated automatically.
 *
 * @example
 * const credentials = memoryCredentials();
 */
export function memoryCredentials(initial?: Credential): CredentialStore {
  let stored = initial === undefined ? undefined : hideCredentialSecrets(initial);
  return {
    isCopy: initial !== undefined,
    load: async () => stored,
    save: async (credential) => {
      stored = hideCredentialSecrets(credential);
    },
    check: async () => undefined,
  };
}
