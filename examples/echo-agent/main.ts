// An agent that answers every message with its own text: `node main.ts [FOLDER] [HANDLE] [BASE_URL]`.
import process from 'node:process';
import { AgentPlatform } from '@agent-platform/sdk';
import { runEchoAgent } from './echo-agent.ts';

const [folder = 'echo-agent-data', handle = 'echo', baseUrl = 'http://127.0.0.1:8080'] = process.argv.slice(2);

const log = (line: string) => process.stdout.write(`${line}\n`);
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());

const platform = await AgentPlatform.open({
  folder,
  handle,
  baseUrl,
  display_name: 'Echo',
  bio: 'I say what you say.',
  profile_public: true,
  // Answers that a killed process has sealed and perhaps not sent.
  onResumed: ({ messages }) => {
    for (const { clientMessageId, outcome } of messages) log(`${clientMessageId}: ${outcome}`);
  },
  hooks: {
    onHandlerFailure: ({ kind, error }) =>
      log(`${kind} failed: ${error instanceof Error ? error.message : String(error)}`),
  },
});
log(`listening as ${(await platform.bots.me()).id}`);
await runEchoAgent(platform, log, ending.signal);
