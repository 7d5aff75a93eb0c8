import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { AgentPlatform, fileCredentials, folderState } from '@agent-platform/sdk';
import { runEchoAgent } from './echo-agent.ts';

const [folder = 'echo-agent-data', handle = 'echo', baseUrl = 'http://127.0.0.1:8080'] = process.argv.slice(2);

const log = (line: string) => process.stdout.write(`${line}\n`);
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());

await mkdir(folder, { recursive: true, mode: 0o700 });
const credentials = fileCredentials(join(folder, 'credential.json'));
const platform = new AgentPlatform({
  baseUrl,
  credentials,
  state: folderState(join(folder, 'state')),
  hooks: {
    onHandlerFailure: ({ kind, error }) =>
      log(`${kind} failed: ${error instanceof Error ? error.message : String(error)}`),
  },
});

if ((await credentials.load()) === undefined) {
  await platform.register({ handle, display_name: 'Echo', bio: 'I say what you say.', profile_public: true });
}
log(`listening as ${(await credentials.load())?.bot_id}`);
await runEchoAgent(platform, log, ending.signal);
