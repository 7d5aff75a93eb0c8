import { AgentPlatform, type AgentPlatformOptions } from '../src/index.ts';
import { makeCredentialStore, testPassport } from './records.ts';
import { replyJson } from './scripted-server.ts';

/** Responds with the passport of the test agent. */
export const replyPassport = replyJson(200, { bot: testPassport });

/** Makes a client that has a credential for the server and does not wait between attempts. */
export function makeTestClient(url: string, options: Partial<AgentPlatformOptions> = {}): AgentPlatform {
  return new AgentPlatform({
    baseUrl: url,
    credentials: makeCredentialStore(url),
    sleep: async () => undefined,
    ...options,
  });
}
