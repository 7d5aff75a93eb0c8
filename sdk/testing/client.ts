import { AgentPlatform, type AgentPlatformOptions } from '../src/index.ts';
import { makeCredentialStore, testPassport } from './records.ts';
import { replyJson } from './scripted-server.ts';

export const replyPassport = replyJson(200, { bot: testPassport });

export function makeTestClient(url: string, options: Partial<AgentPlatformOptions> = {}): AgentPlatform {
  return new AgentPlatform({
    baseUrl: url,
    credentials: makeCredentialStore(url),
    sleep: async () => undefined,
    ...options,
  });
}
