import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Machine, setUpMachine, startReferenceServer } from '../../testing/agentp.ts';

let server: Awaited<ReturnType<typeof startReferenceServer>>;
let machine: Machine;

beforeAll(async () => {
  server = await startReferenceServer();
  machine = setUpMachine(server.url);
  await machine.data(['register', '--handle', 'alice', '--display-name', 'Al\u202eice', '--public']);
  await machine.data(['register', '--handle', 'bob_1', '--display-name', 'Bob']);
});
afterAll(() => server.stop());

const asBob = ['--profile', 'bob_1'];
const asAlice = ['--profile', 'alice'];

it('publishes a portfolio post from a file, finds its author by a word, and hides it', async () => {
  const file = join(machine.home, 'reef.txt');
  await writeFile(file, 'The reef\nat dawn\n');
  const create = ['posts', 'create', '--kind', 'portfolio', '--title', 'Chart', '--text-file', file, '--public'];

  expect(await machine.error([...create, ...asAlice])).toMatchObject({ code: 'rights_required', status: 400 });
  const post = await machine.data([...create, '--rights-confirmed', ...asAlice]);
  expect(post).toMatchObject({ kind: 'portfolio', title: 'Chart', text: 'The reef\nat dawn', state: 'public' });
  const id = String(post['id']);
  expect(await machine.data(['bots', 'list', '--search', 'REEF', ...asBob])).toMatchObject({
    bots: [{ handle: 'alice' }],
    has_more: false,
  });
  expect(await machine.data(['posts', 'show', id, ...asBob])).not.toHaveProperty('rights_confirmed');

  expect(await machine.data(['posts', 'update', id, '--private', '--title', '', ...asAlice])).toMatchObject({
    state: 'private',
    title: '',
  });
  expect(await machine.error(['posts', 'show', id, ...asBob])).toMatchObject({ code: 'not_found' });
  expect(await machine.data(['posts', 'delete', id, '--yes', ...asAlice])).toEqual({ deleted: true, id });
  expect(await machine.error(['posts', 'delete', id, '--yes', ...asAlice])).toMatchObject({ code: 'not_found' });
});

it('reads a text from stdin, and lists some or all posts', async () => {
  for (const text of ['one', 'two', 'three']) {
    await machine.data(['posts', 'create', '--text-file', '-', ...asBob], { stdin: `${text}\n` });
  }
  const list = (...words: string[]) =>
    machine.data(['posts', 'list', ...words, '--fields', 'posts.text,has_more', ...asBob]);

  const [one, two, three] = [{ text: 'one' }, { text: 'two' }, { text: 'three' }];
  expect(await list('--limit', '2')).toEqual({ posts: [three, two], has_more: true });
  expect(await list('--limit', '3')).toEqual({ posts: [three, two, one], has_more: false });
  expect(await list('--all')).toEqual({ posts: [three, two, one], has_more: false });
  const shown = await machine.runOnTerminal(['posts', 'list', '--limit', '2', ...asBob]);
  // Ids are meant to be copied, so they are never cut.
  expect(shown.stdout).toMatch(/\n[0-9a-f-]{36} /);
  expect(shown.stdout).toMatch(/^ID +AUTHOR +KIND +STATE +CREATED +POST/);
  expect(shown.stderr).toContain('More entries: --limit 4, or --all');
});

it('shows agents and posts with invisible characters made visible', async () => {
  await machine.data(['posts', 'create', '\u001b', '--public', ...asAlice]);
  const list = await machine.runOnTerminal(['bots', 'list', ...asBob], { env: { NO_COLOR: '1' } });
  expect(list.stdout).toMatch(/^HANDLE +NAME +SPECIALTY +FRIENDSHIP +ID\nalice +Al<U\+202E/);
  const bots = await machine.data(['bots', 'list', ...asBob]);
  const [alice] = Array.isArray(bots['bots']) ? bots['bots'] : [];

  expect(await machine.data(['bots', 'show', 'Alice', ...asBob])).toMatchObject({ id: alice.id, handle: 'alice' });
  for (const words of [
    ['bots', 'show'],
    ['contacts', 'request'],
  ]) {
    expect(await machine.error([...words, 'nobody_1', ...asBob])).toMatchObject({
      code: 'agent_not_found',
      exitCode: 4,
      hint: expect.stringContaining('agentp bots list --search'),
    });
  }
  const card = await machine.runOnTerminal(['bots', 'show', alice.id, ...asBob], { env: { NO_COLOR: '1' } });
  expect(card.stdout).toMatch(/^Al<U\+202E>ice\n {2}handle +alice\n/);
  expect(card.stdout).toContain('<U+001B>');
  expect(card.stdout).not.toContain('\u001b');
});

it('sends nothing for a wrong command line', async () => {
  for (const words of [
    ['posts', 'create', '--title', 'x'],
    ['posts', 'create', 'x', '--kind', 'essay'],
    ['posts', 'create', 'x', '--public', '--private'],
    ['posts', 'update', '01a1fdff-c0dc-7093-b041-e5d4cac41340'],
    ['posts', 'create', 'x', '--text-file', 'y'],
    ['posts', 'list', '--limit', '0'],
    ['posts', 'list', '--limit', '5', '--all'],
    ['bots', 'list', '--limit', 'many'],
    ['bots', 'show'],
  ]) {
    expect(await machine.error([...words, ...asBob]), words.join(' ')).toMatchObject({ code: 'usage', exitCode: 2 });
  }
});
