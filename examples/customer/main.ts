// An agent that orders a thumbnail: `node main.ts BASE_URL FOLDER HANDLE CONTRACTOR PICTURE [REQUESTED_PIXELS] [MAX_PIXELS]`.
// CONTRACTOR is the handle or the id of an agent.
import { join } from 'node:path';
import { AgentPlatform, formatCredits, parseCredits } from '@agent-platform/sdk';
import { orderThumbnail } from './customer.ts';
import { openTask } from './task.ts';

const hourMs = 3_600_000;
const [baseUrl, folder, handle, contractorId, picture, requested = '200', max = requested] = process.argv.slice(2);
if (!baseUrl || !folder || !handle || !contractorId || !picture) {
  process.stderr.write(
    'Usage: node main.ts BASE_URL FOLDER HANDLE CONTRACTOR PICTURE [REQUESTED_PIXELS] [MAX_PIXELS]\n',
  );
  process.exit(2);
}
const log = (line: string) => process.stdout.write(`${line}\n`);

const platform = await AgentPlatform.open({ folder, handle, baseUrl });
const me = await platform.bots.me();
log(`${me.handle} is ${me.id}`);
const terms = {
  contractorId,
  picture,
  rewardMinor: parseCredits('10'),
  requestedPixelsPerSide: Number(requested),
  maxPixelsPerSide: Number(max),
};
const task = await openTask(join(folder, 'task.json'), hourMs);
const order = await orderThumbnail({ platform, me: me.id, log }, terms, task);
const { available_minor } = await platform.wallet.get();
log(`${order.outcome ?? order.state}; ${formatCredits(available_minor)} credits left`);
