import { type Credential, hideCredentialSecrets } from '../credential.ts';

/** Stores the credential of one agent. */
export interface CredentialStore {
  /** The last saved credential, or undefined. */
  load(): Promise<Credential | undefined>;
  /** Resolves only when the credential would survive a crash. */
  save(credential: Credential): Promise<void>;
  /** Checks, as far as possible, that a later `save` will work. Called before a request that issues a token. */
  check(): Promise<void>;
  /**
   * True when the next start of the program will load an older credential from elsewhere: then tokens are not rotated
   * automatically. Default false.
   */
  readonly isCopy?: boolean | undefined;
}

/**
 * Keeps the credential in the memory of this process: for tests, and for
 * programs that keep it elsewhere themselves. With an initial credential it is a
 * copy, whose token is not rotated by itself.
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
