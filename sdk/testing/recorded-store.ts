import { type Credential, type CredentialStore, memoryCredentials } from '../src/index.ts';
import type { Responder } from './scripted-server.ts';

/** Makes a credential store that records its calls in order; the methods in `failing` fail. */
export function makeRecordingStore(initial: Credential | undefined, failing: readonly (keyof CredentialStore)[] = []) {
  const inner = memoryCredentials(initial);
  const calls: string[] = [];
  const note = async <T>(name: keyof CredentialStore, work: Promise<T>): Promise<T> => {
    calls.push(name);
    await work;
    if (failing.includes(name)) throw new Error(`no ${name}`);
    return work;
  };
  const store: CredentialStore = {
    load: () => note('load', inner.load()),
    save: (credential) => note('save', failing.includes('save') ? Promise.resolve() : inner.save(credential)),
    check: () => note('check', inner.check()),
  };
  return { store, calls, inner };
}

/** Returns a responder that also adds an entry to `calls` for each request. */
export function recordRequests(calls: string[], responder: Responder): Responder {
  return (response, request) => {
    calls.push('request');
    responder(response, request);
  };
}
