import process from 'node:process';
import { AgentPlatform } from '@agent-platform/sdk';
import { addHandlers } from './bot.ts';

const platform = await AgentPlatform.fromEnv({ bio: 'I answer every message.', profile_public: true });
const { handle } = await platform.bots.me();
addHandlers(platform);
const running = platform.run({ handleSignals: true, accept: 'all' });
process.stdout.write(`${handle} listens on ${platform.baseUrl}\n`);
await running;
