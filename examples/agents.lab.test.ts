import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { AgentPlatform } from '@agent-platform/sdk';
import { type ChildProgram, startProgram } from '@agent-platform/testing';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { readExampleArguments } from './src/read-command.ts';
import { startThrowawayServer, type ThrowawayServer } from './src/throwaway-server.ts';

let server: ThrowawayServer;
const folder = makeTestFolder();
const picture = join(folder, 'picture.png');
beforeAll(async () => {
  server = await startThrowawayServer();
  const pixels = { width: 800, height: 500, channels: 3, background: '#3366cc' } as const;
  await sharp({ create: pixels }).png().toFile(picture);
});
afterAll(() => server.stop());

function start(args: readonly string[]): ChildProgram {
  const program = startProgram(process.execPath, args);
  onTestFinished(async () => {
    program.kill('SIGKILL');
    await program.ended;
  });
  return program;
}

function outputOf({ written }: ChildProgram): string {
  return `${written.stdout}${written.stderr}`;
}

const example = 'thumbnail-contractor';
const readmeUrl = 'http://127.0.0.1:8080';

function startContractor(): ChildProgram {
  const replaced = { [readmeUrl]: server.url, './data/thumbnails': join(folder, 'contractor') };
  return start(readExampleArguments(example, 'thumbnail-contractor', replaced));
}

function customerCommand(home: string, handle: string, contractor: string): string[] {
  const places = { [readmeUrl]: server.url, './data/customer': home, 'photo.jpg': picture };
  return readExampleArguments(example, 'customer', { ...places, customer: handle, thumbnails: contractor });
}

/** Registers a customer with a separate folder and 100 credits. */
async function register(handle: string): Promise<{ readonly home: string; readonly platform: AgentPlatform }> {
  const home = join(folder, handle);
  const platform = await AgentPlatform.open({ folder: home, handle, baseUrl: server.url });
  await server.grant(handle, 10_000);
  return { home, platform };
}

async function idOf(contractor: ChildProgram): Promise<string> {
  return await vi.waitFor(
    () => {
      const [, id] = /thumbnails is (\S+)/.exec(outputOf(contractor)) ?? [];
      if (id === undefined) throw new Error(outputOf(contractor));
      return id;
    },
    { timeout: 120_000, interval: 50 },
  );
}

/** Waits for a line from either program, but only briefly: a line printed just before a kill may never appear. */
async function waitForLine(sign: string, contractor: ChildProgram, customer: ChildProgram): Promise<void> {
  const isPrinted = () => `${outputOf(contractor)}${outputOf(customer)}`.includes(sign);
  await Promise.race([customer.ended, vi.waitUntil(isPrinted, { timeout: 3_000, interval: 5 }).catch(() => undefined)]);
}

it('delivers, checks and pays an order once, however often both agents are killed', async () => {
  const { home, platform } = await register('patient');
  let contractor = startContractor();
  await idOf(contractor);
  const words = customerCommand(home, 'patient', 'thumbnails');
  let customer = start(words);
  let killedAtWork = 0;
  for (const sign of ['friends with', 'offered ', 'funded ', 'in_progress ', 'delivered ', 'the result is']) {
    await waitForLine(sign, contractor, customer);
    killedAtWork += outputOf(customer).includes('credits left') ? 0 : 1;
    contractor.kill('SIGKILL');
    customer.kill('SIGKILL');
    await Promise.all([contractor.ended, customer.ended]);
    [contractor, customer] = [startContractor(), start(words)];
  }

  expect(killedAtWork).toBeGreaterThanOrEqual(4);
  expect(await customer.ended, outputOf(customer) + outputOf(contractor)).toBe(0);
  expect(outputOf(customer)).toMatch(/accepted; 89\.00 credits left\n$/);
  const { orders } = await platform.orders.list();
  expect(orders).toMatchObject([{ state: 'closed', outcome: 'accepted', input_attachments: [{ width: 800 }] }]);
  expect(orders[0]?.result_attachments).toMatchObject([{ width: 200, height: 125, media_type: 'image/jpeg' }]);
  expect(await platform.wallet.get()).toMatchObject({ available_minor: 8_900, reserved_minor: 0 });
  contractor.kill('SIGTERM');
  expect(await contractor.ended, outputOf(contractor)).toBe(0);
});

it('ends a contractor that is stopped during its start', async () => {
  for (const afterMs of [0, 5, 50]) {
    const contractor = startContractor();
    await idOf(contractor);
    await wait(afterMs);
    contractor.kill('SIGTERM');

    expect(await contractor.ended, outputOf(contractor)).toBe(0);
  }
});

it('disputes a result that is larger than agreed, and refunds the credits', async () => {
  const { home, platform } = await register('strict');
  const contractor = startContractor();
  const contractorId = await idOf(contractor);
  const customer = start([...customerCommand(home, 'strict', contractorId), '300', '100']);

  expect(await customer.ended, outputOf(customer) + outputOf(contractor)).toBe(0);
  expect(outputOf(customer)).toContain('the result is jpeg, 300 × 188');
  expect(outputOf(customer)).toMatch(/refunded; 100\.00 credits left\n$/);
  const { orders } = await platform.orders.list();
  const { events } = await platform.orders.get(orders[0]?.id ?? '');
  expect(events.map(({ action }) => action).slice(-3)).toEqual(['dispute', 'propose-refund', 'approve-refund']);
});
