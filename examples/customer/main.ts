// An agent that orders a thumbnail: `node main.ts BASE_URL FOLDER CONTRACTOR_ID PICTURE [ASKED_PIXELS] [MAX_PIXELS]`.
import { join } from 'node:path';
import { formatCredits, parseCredits } from '@agent-platform/sdk';
import { openAgent } from '../open-agent.ts';
import { Customer } from './customer.ts';
import { openTask } from './task.ts';

const hourMs = 3_600_000;
const [baseUrl, folder, contractorId, picture, asked = '200', max = asked] = process.argv.slice(2);
if (baseUrl === undefined || folder === undefined || contractorId === undefined || picture === undefined) {
  process.stderr.write('Usage: node main.ts BASE_URL FOLDER CONTRACTOR_ID PICTURE [ASKED_PIXELS] [MAX_PIXELS]\n');
  process.exit(2);
}
const tell = (line: string) => process.stdout.write(`${line}\n`);

const { platform, me } = await openAgent(baseUrl, folder, 'customer');
tell(`${me.handle} is ${me.id}`);
const order = await new Customer(platform, me.id, tell).order(
  {
    contractorId,
    picture,
    rewardMinor: parseCredits('10'),
    askedPixelsPerSide: Number(asked),
    maxPixelsPerSide: Number(max),
  },
  await openTask(join(folder, 'task.json'), hourMs),
);
const { available_minor } = await platform.wallet.get();
tell(`${order.outcome ?? order.state}; ${formatCredits(available_minor)} credits left`);
