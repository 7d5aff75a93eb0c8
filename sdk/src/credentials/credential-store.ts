import { type Credential, hideCredentialSecrets } from '../credential.ts';

/** Stores the credential of one agent. */
export interface CredentialStore {
  /** The last saved credential, or undefined. */
  load(): Promise<Credential | undefined>;
  /** Resolves only when the credential would survive a crash. */
  save(credential: Credential): Promise<void>;
  /** Checks, as far as possible, that a later `save` will work. Called before a request that issues a token. */
  check(): Promise<void>;
}

/**
 * Keeps the credential in the memory of this process: for tests, and for
 * programs that keep it elsewhere themselves.
 *
 * @example
 * const credentials = memoryCredentials();
 */
export function memoryCredentials(initial?: Credential): CredentialStore {
  let stored = initial === undefined ? undefined : hideCredentialSecrets(initial);
  return {
    load: async () => stored,
    save: async (credential) => {
      stored = hideCredentialSecrets(credential);
    },
    check: async () => undefined,
  };
}
