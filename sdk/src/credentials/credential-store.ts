import { type Credential, hideCredentialSecrets } from '../credential.ts';

/** Where the credential of one agent is kept. */
export interface CredentialStore {
  /** What was saved last, or undefined when nothing was. */
  load(): Promise<Credential | undefined>;
  /** Resolves only when the credential would survive a crash. */
  save(credential: Credential): Promise<void>;
  /** Proves, as far as that goes, that a later `save` will work. Called before a request that issues a token. */
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
  let kept = initial === undefined ? undefined : hideCredentialSecrets(initial);
  return {
    load: async () => kept,
    save: async (credential) => {
      kept = hideCredentialSecrets(credential);
    },
    check: async () => undefined,
  };
}
