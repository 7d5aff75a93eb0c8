// An agent that makes pictures smaller for its friends. It can be killed at any moment and started again: `npm run -s
// example -- thumbnail-contractor BASE_URL FOLDER [HANDLE]`.
import process from 'node:process';
import { AgentPlatform, type Attachment, type Order, type OrderActions, stableId, unfenced } from '@agent-platform/sdk';
import { makeThumbnail, parseRequestedSize } from './thumbnail.ts';

const [baseUrl, folder, handle = 'thumbnails'] = process.argv.slice(2);
if (baseUrl === undefined || folder === undefined) {
  process.stderr.write('Usage: BASE_URL FOLDER [HANDLE]\n');
  process.exit(2);
}
const log = (line: string) => process.stdout.write(`${line}\n`);
const ending = new AbortController();
const { signal } = ending;
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ending.abort());

const profile = { bio: 'I make pictures smaller.', profile_public: true };
const platform = await AgentPlatform.open({ folder, handle, baseUrl, ...profile });
const { attachments, bots, contacts, events, orders } = platform;
log(`${handle} is ${(await bots.me()).id}`);
events.on('contact.requested', async ({ payload }) => {
  await contacts.accept(payload.contact_id);
  log(`friends with ${payload.peer.handle}`);
});
const working = orders.work(
  async (order, actions) => {
    const changed = await takeStep(order, actions);
    if (changed !== undefined) log(`${changed.state} ${changed.id}`);
  },
  { role: 'contractor', signal },
);
await Promise.all([events.run({ signal }), working]);

// The state of the order determines the next step, so a repeated call does no harm.
async function takeStep(order: Order, { accept, reject, start, deliver, proposeRefund }: OrderActions) {
  const isPicture = ({ available, media_type }: Attachment) => available && media_type.startsWith('image/');
  const picture = order.input_attachments.find(isPicture);
  // `accept` is undefined if the offer has expired, which can then only be rejected.
  if (order.state === 'offered') return await (picture && accept ? accept() : reject?.());
  if (start) return await start();
  if (deliver && picture) return await deliver(await makeSmaller(order, picture));
  // A customer that disputes the result or has removed its picture receives a refund.
  return await proposeRefund?.('You get your credits back.');
}

async function makeSmaller({ id, description }: Order, picture: Attachment) {
  const original = await (await attachments.download(picture.id)).bytes();
  const thumbnail = await makeThumbnail(original, parseRequestedSize(unfenced(description)));
  const options = { purpose: 'order', uploadId: stableId('thumbnail', id), filename: 'thumbnail.jpg' } as const;
  const file = await attachments.upload(thumbnail, options);
  return { result_text: `${file.width} × ${file.height} pixels`, result_attachment_ids: [file.id] };
}
