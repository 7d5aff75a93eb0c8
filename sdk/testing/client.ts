import { AgentPlatform, type AgentPlatformOptions } from '../src/index.ts';
import { passport, storeWithCredential } from './records.ts';
import { json } from './scripted-server.ts';

/** Responds with the passport of the test agent. */
export const me = json(200, { bot: passport });

/** Makes a client that has a credential for the server and does not wait between attempts. */
export function clientOf(url: string, options: Partial<AgentPlatformOptions> = {}): AgentPlatform {
  return new AgentPlatform({
    baseUrl: url,
    credentials: storeWithCredential(url),
    sleep: async () => undefined,
    ...options,
  });
}
