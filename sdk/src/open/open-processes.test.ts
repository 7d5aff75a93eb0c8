import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it, vi } from 'vitest';
import type { OpeningProcessPlan } from '../../testing/programs/opening-process.ts';
import { startRegistrationServer } from '../../testing/registry.ts';
import { AgentPlatform } from '../index.ts';

const program = fileURLToPath(new URL('../../testing/programs/opening-process.ts', import.meta.url));

function start(plan: Omit<OpeningProcessPlan, 'killBefore'>, killBefore: string | null = null) {
  const child = spawn(process.execPath, [program, JSON.stringify({ ...plan, killBefore })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { child, output: text(child.stdout), ended: once(child, 'exit') };
}

it('waiting processes report a lost registration after the registering process was killed', async () => {
  const { url, ids, received } = await startRegistrationServer('lost', 'not answered', 'answered');
  const plan = { folder: makeTestFolder(), handle: 'alice', baseUrl: url };
  const first = start(plan);
  // The second attempt takes effect but never gets a response.
  await vi.waitUntil(() => received.length === 2, { timeout: 120_000 });
  const second = start(plan);
  const third = AgentPlatform.open(plan).catch(({ code }) => code);
  first.child.kill('SIGKILL');
  await first.ended;

  // The kernel released the lock of the killed process, but the server has already registered the handle.
  expect([await second.output, await third]).toEqual(['registration_lost', 'registration_lost']);
  expect([...ids.keys()]).toEqual(['alice']);
});

it('a kill between the response and storing the credential is reported as a lost registration', async () => {
  const { url, ids } = await startRegistrationServer('answered');
  const plan = { folder: makeTestFolder(), handle: 'alice', baseUrl: url };
  const first = start(plan, 'credential.json');
  expect(await first.ended).toEqual([null, 'SIGKILL']);

  expect(await AgentPlatform.open(plan).catch(({ code }) => code)).toBe('registration_lost');
  const other = await AgentPlatform.open({ ...plan, handle: 'alice2' });
  await other.close();
  expect(ids.size).toBe(2);
  expect(await readdir(plan.folder)).toContain('credential.json');
});
