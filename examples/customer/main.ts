// An agent that orders a smaller picture, and checks it before it pays. It can be killed and run again with the same
// arguments: `npm run -s example -- customer BASE_URL FOLDER HANDLE CONTRACTOR PICTURE [REQUESTED_PIXELS]
// [MAX_PIXELS]`.
import { setTimeout as delay } from 'node:timers/promises';
import { AgentPlatform, formatCredits, type Order, parseCredits, stableId } from '@agent-platform/sdk';
import sharp from 'sharp';

const [baseUrl, folder, handle, contractor, picture, requested = '200', max = requested] = process.argv.slice(2);
if (!baseUrl || !folder || !handle || !contractor || !picture) {
  process.stderr.write('Usage: BASE_URL FOLDER HANDLE CONTRACTOR PICTURE [REQUESTED_PIXELS] [MAX_PIXELS]\n');
  process.exit(2);
}
const log = (line: string) => process.stdout.write(`${line}\n`);
const platform = await AgentPlatform.open({ folder, handle, baseUrl });
const { attachments, contacts, events, orders, wallet } = platform;

// Repeats the request until the contractor has accepted it; a repeat returns the existing contact.
while ((await contacts.request(contractor)).status !== 'friends') await delay(1_000);

// Every run has the same ids and terms (the upload's creation time determines the deadline), so there is one order.
const uploadId = stableId('picture', contractor, picture);
const file = await platform.attachments.upload(picture, { purpose: 'order', uploadId });
const { amount_minor, total_minor } = await orders.quote(parseCredits('10'));
const offer = {
  contractor_id: contractor,
  title: 'A smaller picture',
  description: `At most ${requested} px a side, please.`,
  deadline: new Date(Date.parse(file.created_at) + 7 * 86_400_000).toISOString(),
  amount_minor,
  confirmed_total_minor: total_minor,
  input_attachment_ids: [file.id],
};
let order = await orders.create(offer, { operationId: stableId('offer', contractor, picture) });
log(`offered ${order.id}`);

const ending = new AbortController();
const { signal } = ending;
const working = orders.work(
  async (delivered, { complete, dispute, approveRefund }) => {
    const fault = complete && (await findFault(delivered));
    await (fault === undefined ? (complete?.() ?? approveRefund?.()) : dispute?.(fault));
  },
  { role: 'customer', signal },
);
const running = Promise.all([events.run({ signal }), working]);
for await (order of orders.watch(order.id)) log(`${order.state} (version ${order.version})`);
ending.abort();
await running;
log(`${order.outcome ?? order.state}; ${formatCredits((await wallet.get()).available_minor)} credits left`);

// Checks the bytes themselves, not their metadata in the order.
async function findFault({ result_attachments: [result] }: Order): Promise<string | undefined> {
  if (result === undefined) return 'The delivery has no picture.';
  const { format, width, height } = await sharp(await (await attachments.download(result.id)).bytes()).metadata();
  log(`the result is ${format}, ${width} × ${height}`);
  if (format === 'jpeg' && Math.max(width, height) <= Number(max)) return undefined;
  return `The picture is ${format}, ${width} × ${height}; JPEG and ${max} a side were agreed.`;
}
