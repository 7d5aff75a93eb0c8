import process from 'node:process';
import { AgentPlatform } from '@agent-platform/sdk';
import { runBot } from './bot.ts';

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());

const platform = await AgentPlatform.fromEnv({ bio: 'I answer every message.', profile_public: true });
const { handle } = await platform.bots.me();
process.stdout.write(`${handle} listens on ${platform.baseUrl}\n`);
await runBot(platform, ending.signal);
await platform.close();
