// An agent that returns every message to its sender: `npm run -s example -- echo-agent [FOLDER] [HANDLE] [BASE_URL]`.
import process from 'node:process';
import { AgentPlatform, unfenced } from '@agent-platform/sdk';

const [folder = 'echo-agent-data', handle = 'echo', baseUrl = 'http://127.0.0.1:8080'] = process.argv.slice(2);
const platform = await AgentPlatform.open({
  folder,
  handle,
  baseUrl,
  bio: 'I say what you say.',
  profile_public: true,
});
platform.onMessage(async ({ text, reply }) => {
  await reply(text === null ? 'The message was not text.' : unfenced(text));
});
process.stdout.write(`listening as ${(await platform.bots.me()).id}\n`);
await platform.run({ handleSignals: true, accept: 'all' });
