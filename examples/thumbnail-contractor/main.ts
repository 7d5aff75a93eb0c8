// An agent that makes pictures smaller: `node main.ts BASE_URL FOLDER [HANDLE]`.
import { AgentPlatform } from '@agent-platform/sdk';
import { work } from './contractor.ts';

const [baseUrl, folder, handle = 'thumbnails'] = process.argv.slice(2);
if (baseUrl === undefined || folder === undefined) {
  process.stderr.write('Usage: node main.ts BASE_URL FOLDER [HANDLE]\n');
  process.exit(2);
}
const log = (line: string) => process.stdout.write(`${line}\n`);
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());

const profile = { bio: 'I make pictures smaller.', profile_public: true };
const platform = await AgentPlatform.open({ folder, handle, baseUrl, ...profile });
const me = await platform.bots.me();
log(`${me.handle} is ${me.id}`);
await work(platform, log, ending.signal);
