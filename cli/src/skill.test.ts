import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseCommandLine } from '@agent-platform/cli-core/program/parse-command-line';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Machine, openMachine, type ReferenceServer, startReferenceServer } from '../testing/agentp.ts';
import { captureIo } from '../testing/captured-io.ts';
import { startLossyProxy } from '../testing/losing-proxy.ts';
import { parseTasks, runStep, type SkillStep } from '../testing/read-skill.ts';
import { catalogue } from './commands/catalogue.ts';

const skillFile = fileURLToPath(new URL('../../skills/agentp/SKILL.md', import.meta.url));
const picture = fileURLToPath(new URL('../../server/testing/files/upright.jpg', import.meta.url));
const folder = makeTestFolder();
const played = new Set<SkillStep>();

let skill: string;
let tasks: ReadonlyMap<string, readonly SkillStep[]>;
let server: ReferenceServer;
let proxy: Awaited<ReturnType<typeof startLossyProxy>>;
let machine: Machine;

beforeAll(async () => {
  skill = await readFile(skillFile, 'utf8');
  tasks = parseTasks(skill);
  server = await startReferenceServer();
  proxy = await startLossyProxy(server.url);
  machine = openMachine(folder, server.url);
});
afterAll(async () => {
  proxy.close();
  await server.stop();
});

/** Makes an agent that follows the skill; its values are those given and those that its commands print. */
function openReader(handle: string, given: Readonly<Record<string, unknown>>, url = server.url) {
  const values = new Map(Object.entries({ handle, server_url: url, ...given }));
  const env = { AGENTP_PROFILE: handle, AGENTP_BASE_URL: url };
  return {
    values,
    /** Runs the lines of a task from index `from` up to, but not including, `end`. */
    play: async (task: string, from = 0, end = Number.POSITIVE_INFINITY) => {
      const steps = tasks.get(task)?.slice(from, end) ?? [];
      expect(steps.length, task).toBeGreaterThan(0);
      for (const step of steps) {
        played.add(step);
        await runStep(step, values, (words) => machine.run(words, { env }));
      }
    },
  };
}

it('has the format that skill installers look for', () => {
  const [, head = ''] = /^---\n(.*?)\n---\n/s.exec(skill) ?? [];
  const fields = new Map([...head.matchAll(/^([a-z-]+): (.+)$/gm)].map(([, name = '', text = '']) => [name, text]));

  expect([...fields.keys()]).toEqual(['name', 'description', 'license', 'compatibility']);
  expect(fields.get('name')).toBe('agentp');
  expect(fields.get('description')?.length).toBeLessThanOrEqual(1_024);
  expect(fields.get('compatibility')?.length).toBeLessThanOrEqual(500);
  expect(head).not.toMatch(/: .*(: | #)/);
  expect(skill.split('\n').length - 1).toBeLessThanOrEqual(250);
  // The file must not contain links, because it is installed without the other documents.
  expect(skill).not.toMatch(/\]\((?!#)/);
});

it('names only valid command lines in its sentences', () => {
  const { io } = captureIo();
  const prose = skill.replaceAll(/^(\|.*|```sh\n[\s\S]*?^```)$/gm, '');
  const named = [...prose.matchAll(/`agentp ([^`]+)`/g)].map(([, words = '']) => words);

  expect(named.length).toBeGreaterThan(3);
  for (const words of named) expect(parseCommandLine(words.split(' '), io, catalogue).kind, words).toBe('work');
});

it('leads two agents through all its tasks, line by line', async () => {
  const words = { specialty: 'sea charts', bio: 'I chart reefs.', words: 'sea charts', text: 'Hello' };
  const order = { amount: '12.50', limit_minor: 1_400, title: 'A map', description: 'Of the reef', deadline: '3d' };
  const files = { file: picture, path: join(folder, 'result.jpg'), result: 'North is up.', reason: 'Too small' };
  const given = { display_name: 'A reader', duration: '1m', ...words, ...order, ...files };
  const [alice, bob] = [openReader('alice', given, proxy.url), openReader('bob', given)];
  const placeOrder = async () => {
    await alice.play('Buy work with a limit', 0, 3);
    await bob.play('Sell work', 0, 3);
  };

  await alice.play('Register');
  await bob.play('Register');
  for (const reader of [bob, alice]) await reader.play('Edit the profile');
  await alice.play('Publish');
  await alice.play('Find an agent', 0, 1);
  alice.values.set('agent', 'bob');
  await alice.play('Find an agent', 1);
  await alice.play('Befriend an agent', 0, 1);
  await bob.play('Befriend an agent', 2);
  await alice.play('Befriend an agent', 1, 2);
  await alice.play('Talk with a friend');
  await bob.play('Talk with a friend', 1);

  await server.grant('alice', 10_000);
  await placeOrder();
  await bob.play('Sell work', 3, 5);
  const paid = bob.play('Sell work', 5);
  await alice.play('Buy work with a limit', 3);
  await paid;

  await placeOrder();
  await bob.play('Sell work', 3, 4);
  await bob.play('Deliver and download files', 0, 2);
  await alice.play('Deliver and download files', 2);
  await alice.play('Get an approval');

  await placeOrder();
  await alice.play('Dispute an order');
  await bob.play('Refund an order', 0, 1);
  await alice.play('Refund an order', 1);

  proxy.lose(/\/orders$/);
  await expect(alice.play('Buy work with a limit', 2, 3)).rejects.toThrow(/ exits with [89]: /);
  proxy.lose(undefined);
  await alice.play('Recover a lost answer');
  const ending = new AbortController();
  const [listening] = tasks.get('Handle events') ?? [];
  const listener = machine.run((listening?.line ?? '').split(' ').slice(1).concat('--profile', 'bob'), {
    signal: ending.signal,
  });
  await bob.play('Handle events', 1);
  ending.abort(new Error('enough'));
  await listener;
  await alice.play('Rotate the token');

  const left = [...tasks.values()].flat().filter((step) => !played.has(step) && step !== listening);
  expect(left.map(({ line }) => line)).toEqual([]);
  expect(bob.values.get('newest_text')).toBe('Hello');
  expect(alice.values.get('result')).toBe('North is up.');
  expect(alice.values.get('resumed')).toHaveLength(1);
  expect(bob.values.get('kind')).toBe('contact.requested');
  await expect(readFile(join(folder, 'result.jpg'))).resolves.not.toHaveLength(0);
});

it('stops before an order above the limit of the person', async () => {
  const carol = openReader('carol', { display_name: 'Carol', amount: '12.50', limit_minor: 1_374 });
  await carol.play('Register');

  await expect(carol.play('Buy work with a limit')).rejects.toThrow('but it is 1375');
});
