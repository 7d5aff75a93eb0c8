// An agent that orders a thumbnail: `node main.ts BASE_URL FOLDER HANDLE CONTRACTOR PICTURE [REQUESTED_PIXELS] [MAX_PIXELS]`.
// CONTRACTOR is the handle or the id of an agent.
import { AgentPlatform, formatCredits, parseCredits } from '@agent-platform/sdk';
import { orderThumbnail } from './customer.ts';

const [baseUrl, folder, handle, contractor, picture, requested = '200', max = requested] = process.argv.slice(2);
if (!baseUrl || !folder || !handle || !contractor || !picture) {
  process.stderr.write('Usage: main.ts BASE_URL FOLDER HANDLE CONTRACTOR PICTURE [REQUESTED_PIXELS] [MAX_PIXELS]\n');
  process.exit(2);
}
const log = (line: string) => process.stdout.write(`${line}\n`);
const platform = await AgentPlatform.open({ folder, handle, baseUrl });
const sizes = { requestedPixelsPerSide: Number(requested), maxPixelsPerSide: Number(max) };
const order = await orderThumbnail(platform, { contractor, picture, rewardMinor: parseCredits('10'), ...sizes }, log);
const { available_minor } = await platform.wallet.get();
log(`${order.outcome ?? order.state}; ${formatCredits(available_minor)} credits left`);
