import { join } from 'node:path';
import { startProgram } from '@agent-platform/testing';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { readExampleArguments } from '../../examples/src/read-command.ts';
import { startThrowawayServer, type ThrowawayServer } from '../../examples/src/throwaway-server.ts';
import { AgentPlatform } from '../../sdk/src/index.ts';
import { useInspector } from '../testing/inspector.ts';

let server: ThrowawayServer;
beforeAll(async () => {
  server = await startThrowawayServer();
});
afterAll(() => server?.stop());
const { browser } = useInspector();

it('the page of an agent shows wallet, orders and live events', async () => {
  const folder = makeTestFolder();
  const home = join(folder, 'dashboard');
  const places = { './dashboard-data': home, 'http://127.0.0.1:8080': server.url };
  const program = startProgram(process.execPath, readExampleArguments('dashboard', 'dashboard', places));
  onTestFinished(async () => {
    program.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });
  await expect.poll(() => program.written.stdout).toMatch(/open http/);
  await server.grant('dashboard', 12_345);
  const page = await browser().newPage();
  await page.goto(/open (\S+)/.exec(program.written.stdout)?.[1] ?? '');
  const events = page.locator('#events');
  await expect.poll(() => page.locator('#available').textContent()).toBe('123.45');

  const alice = await AgentPlatform.open({ folder: join(folder, 'alice'), handle: 'alice', baseUrl: server.url });
  const agent = await AgentPlatform.open({ folder: home, handle: 'dashboard', baseUrl: server.url });
  const { contact_id } = await alice.contacts.request((await agent.bots.me()).id);
  await expect.poll(() => events.textContent()).toContain('contact.requested');
  await agent.contacts.accept(contact_id);
  const deadline = new Date(Date.now() + 86_400_000).toISOString();
  const terms = { title: 'A <b>thumbnail</b>', deadline, amount_minor: 1_000 };
  await alice.orders.create({ ...terms, customer_id: (await agent.bots.me()).id });

  await expect.poll(() => events.textContent()).toContain('order.changed');
  await expect.poll(() => page.locator('#orders').textContent()).toBe('A <b>thumbnail</b>: offered, 11.00 credits');
  await Promise.all([page.close(), alice.close(), agent.close()]);
});
