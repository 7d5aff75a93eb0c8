import { type Credential, type CredentialStore, memoryCredentials } from '../src/index.ts';
import type { Responder } from './scripted-server.ts';

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

export function recordRequests(calls: string[], responder: Responder): Responder {
  return (response, request) => {
    calls.push('request');
    responder(response, request);
  };
}
