import { randomUUID } from 'node:crypto';
import { isThoroughRun } from '@agent-platform/testing';
import { describe, expect, it } from 'vitest';
import { killAtEachStep, prepareAgents, runCrashingAgent } from '../../testing/kills.ts';
import type { CrashPlan } from '../../testing/programs/crashing-agent.ts';
import { failureOf } from '../../testing/records.ts';
import { FakePlatform } from '../testing/fake-platform.ts';
import type { Order, OrderFile } from './order-types.ts';

// The steps that change the disk or the server, so that a later process may behave differently.
const steps = ['keep', 'the request', 'the answer'];
// Both files have the same content and are nevertheless uploaded separately.
const fileNames = ['one.png', 'two.png'];
const namesOf = (files: Order['result_attachments']) => files.map(({ filename }) => filename);

describe('an order with files', () => {
  it('is delivered once, with each file once, by a contractor that is killed at every step', async () => {
    const { alice, credentials, baseUrl, root } = await prepareAgents();

    const killed = await killAtEachStep(steps, root, async (kill, place) => {
      const { id } = await alice.orders.create({
        contractor_id: 'bob',
        title: `${kill.step} ${kill.occurrence}`,
        deadline: '2126-11-21T12:00:00Z',
        amount_minor: 100,
        confirmed_total_minor: 110,
      });
      const plan: CrashPlan = { baseUrl, credentials, place, kill, work: { deliver: id, fileNames } };
      const isThrough = await runCrashingAgent(plan);
      if (!isThrough) expect(await runCrashingAgent({ ...plan, kill: null })).toBe(true);

      const { order, events } = await alice.orders.get(id);
      expect(order).toMatchObject({ state: 'delivered', result_text: 'Here they are.' });
      expect(namesOf(order.result_attachments)).toEqual(fileNames);
      expect(events.map(({ action }) => action)).toEqual(['create', 'accept', 'start', 'deliver']);
      return isThrough;
    });
    expect(killed).toBeGreaterThan(isThoroughRun ? 12 : 2);
  });

  it('is offered once, with each file once, by an author that is killed at every step', async () => {
    const { alice, credentials, baseUrl, root } = await prepareAgents();

    const killed = await killAtEachStep(steps, root, async (kill, place) => {
      const title = `${kill.step} ${kill.occurrence}`;
      const work = { offer: title, customer: (await alice.bots.me()).id, operationId: randomUUID(), fileNames };
      const plan: CrashPlan = { baseUrl, credentials, place, kill, work };
      const isThrough = await runCrashingAgent(plan);
      if (!isThrough) expect(await runCrashingAgent({ ...plan, kill: null })).toBe(true);

      const orders = await alice.orders.list().toArray({ limit: 100 });
      const offered = orders.filter((order) => String(order.title) === title);
      expect(offered.map(({ input_attachments }) => namesOf(input_attachments))).toEqual([fileNames]);
      return isThrough;
    });
    expect(killed).toBeGreaterThan(isThoroughRun ? 6 : 2);
  });

  it('uploads a file again if it was removed before the command was sent', async () => {
    const { platform, alice, offer } = await pair();
    const operationId = randomUUID();
    const files = [file('one.pdf')];
    platform.faults.refuse('createOrder', 'forbidden');
    await failureOf(alice.orders.create({ ...offer, files }, { operationId }));
    platform.faults.refuse('uploadAttachment', 'upload_unavailable', { times: 25 });

    const order = await alice.orders.create({ ...offer, files }, { operationId });

    expect(namesOf(order.input_attachments)).toEqual(['one.pdf']);
  });

  it('accepts files together with ids of other files, and lists the new files last', async () => {
    const { alice, offer } = await pair();
    const { id } = await alice.attachments.upload(pdf, { purpose: 'order', filename: 'first.pdf' });

    const order = await alice.orders.create({ ...offer, input_attachment_ids: [id], files: [file('second.pdf')] });

    expect(namesOf(order.input_attachments)).toEqual(['first.pdf', 'second.pdf']);
  });

  it('refuses a value that is not a file, and a delivery with two texts, and sends nothing', async () => {
    const { platform, alice, offer } = await pair();
    const before = platform.requests.length;
    const version = { id: randomUUID(), version: 1 };

    expect(await failureOf(alice.orders.create({ ...offer, files: [{ filename: 'x' } as OrderFile] }))).toMatchObject({
      message: 'files[0] must be { bytes: Uint8Array, filename: string }; nothing was sent.',
    });
    expect(await failureOf(alice.orders.deliver(version, { text: 'a', result_text: 'b' }))).toMatchObject({
      message: 'A delivery has both text and result_text, which mean the same. Pass only one.',
    });
    expect(platform.requests).toHaveLength(before);
  });
});

const pdf = new TextEncoder().encode('%PDF-1.7\n1 0 obj << /Type /Page >> endobj\n');

function file(filename: string): OrderFile {
  return { filename, bytes: pdf };
}

/** Returns Alice, on a fake platform, and her offer to Bob. */
async function pair() {
  const platform = new FakePlatform();
  const [alice, bob] = [await platform.agent('alice'), await platform.agent('bob')];
  await platform.befriend(alice, bob);
  const contractor_id = (await bob.bots.me()).id;
  const deadline = new Date(platform.clock.now() + 3_600_000).toISOString();
  const terms = { contractor_id, title: 'A thumbnail', deadline };
  return { platform, alice, offer: { ...terms, amount_minor: 1_000, confirmed_total_minor: 1_100 } };
}
