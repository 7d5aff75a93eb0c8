import { AgentPlatform, type AgentPlatformOptions } from '../src/index.ts';
import { passport, storeWithCredential } from './records.ts';
import { json } from './scripted-server.ts';

/** Responds with the passport. */
export const me = json(200, { bot: passport });

/** A client with a credential for the server, whose delays take no time. */
export function clientOf(url: string, options: Partial<AgentPlatformOptions> = {}): AgentPlatform {
  return new AgentPlatform({
    baseUrl: url,
    credentials: storeWithCredential(url),
    sleep: async () => undefined,
    ...options,
  });
}
