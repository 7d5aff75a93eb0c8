import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentPlatform, fileCredentials, folderState } from '@agent-platform/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Machine, type ReferenceServer, setUpMachine, startReferenceServer } from '../../../testing/agentp.ts';
import { makeFriends } from '../../../testing/friends.ts';

const secret = { env: { AGENTP_PASSPHRASE: 'a heron on the lake' } };

let server: ReferenceServer;
let office: Machine;
let laptop: Machine;

beforeAll(async () => {
  server = await startReferenceServer();
  [office, laptop] = [setUpMachine(server.url), setUpMachine(server.url)];
});
afterAll(() => server.stop());

const profileFile = () => join(office.home, 'alice.profile');
const exporting = () => ['profiles', 'export', profileFile(), '--profile', 'alice'];
const importing = ['--profile', 'moved'];

async function stateFolder(machine = office): Promise<string> {
  const { bot_id } = JSON.parse(await readFile(join(office.home, 'profiles/alice.json'), 'utf8'));
  return join(machine.home, 'state', bot_id);
}

it('moves an agent to another machine; the first machine can no longer act as it', async () => {
  const { bobId } = await makeFriends(office, server, ['alice', 'bob']);
  await office.data(['config', 'set', 'timeout', '60', '--profile', 'alice']);
  // The export is refused while a program of the agent runs, because that program would continue to act here.
  const state = folderState(await stateFolder());
  const credentials = fileCredentials(join(office.home, 'profiles/alice.json'));
  const program = new AgentPlatform({ baseUrl: server.url, credentials, state });
  await program.messages.send(bobId, 'Hello');
  expect(await office.error(exporting(), secret)).toMatchObject({ code: 'profile_in_use', exitCode: 5 });
  expect(await office.data(['whoami', '--check', '--profile', 'alice'])).toMatchObject({ is_accepted: true });
  await state.close();

  expect(await office.data(exporting(), secret)).toMatchObject({ profile: 'alice', kept: false });
  expect((await stat(profileFile())).mode & 0o777).toBe(0o600);
  // Bob is the only remaining profile, but no command acts as Bob automatically.
  for (const [words, message] of [
    [['whoami', '--profile', 'alice'], 'The profile "alice" does not exist. It was exported'],
    [['whoami'], 'No profile is selected. "alice" was exported'],
  ] as const) {
    expect(await office.error(words)).toMatchObject({
      code: 'no_credential',
      message: expect.stringContaining(message),
      hint: 'Choose a profile: agentp profiles use bob; To use an exported profile here again: agentp profiles import FILE',
    });
  }

  // The import uses the server that the file names, and ignores the address of another server.
  const elsewhere = { env: { ...secret.env, AGENTP_BASE_URL: 'http://127.0.0.1:1' } };
  expect(await laptop.data(['profiles', 'import', profileFile(), ...importing], elsewhere)).toMatchObject({
    profile: 'moved',
    handle: 'alice',
  });
  expect(await laptop.data(['config', 'get', 'timeout'])).toMatchObject({ value: '60' });
  // Bob's pinned key was imported too, so a different key would be detected.
  expect(await laptop.data(['contacts', 'fingerprint', 'bob'])).toMatchObject({ pinned: 'same' });
  expect(await laptop.data(['messages', 'list', 'bob'])).toMatchObject({ messages: [{ text: 'Hello' }] });

  // The copy that the first machine set aside has the former token.
  const aside = await readFile(join(office.home, 'exported/alice-1/profile.json'), 'utf8');
  await writeFile(join(office.home, 'profiles/alice.json'), aside, { mode: 0o600 });
  expect(await office.error(['whoami', '--check', '--profile', 'alice'])).toMatchObject({
    code: 'unauthorized',
    hint: expect.stringMatching(/import of the profile on another machine.*agentp doctor/),
  });
});

it('imports a file once, and overwrites nothing', async () => {
  const words = ['profiles', 'import', profileFile()];
  expect(await laptop.error([...words, '--profile', 'other'], secret)).toMatchObject({
    code: 'profile_exists',
    message: expect.stringContaining('"moved"'),
    exitCode: 5,
  });
  const tablet = setUpMachine(server.url);
  const wrong = { env: { AGENTP_PASSPHRASE: 'a heron on the pond' } };
  expect(await tablet.error(words, wrong)).toMatchObject({ code: 'wrong_passphrase', exitCode: 6 });
  expect(await tablet.error(['profiles', 'import', join(office.home, 'no.file')], secret)).toMatchObject({
    exitCode: 2,
  });
  expect(await tablet.error(words, secret)).toMatchObject({ code: 'profile_outdated', exitCode: 3 });
  expect(await tablet.data(['profiles', 'list'])).toEqual({ profiles: [] });
  const folder = await stateFolder(tablet);
  await expect(stat(`${folder}.import`)).rejects.toMatchObject({ code: 'ENOENT' });
  await mkdir(folder, { recursive: true });
  expect(await tablet.error(words, secret)).toMatchObject({ code: 'profile_exists' });
  await rm(folder, { recursive: true });
  await tablet.data(['register', '--handle', 'another', '--display-name', 'Another', '--profile', 'alice']);
  expect(await tablet.error(words, secret)).toMatchObject({
    code: 'profile_exists',
    hint: expect.stringContaining('--profile NAME'),
  });
  expect(await tablet.data(['whoami', '--profile', 'alice'])).toMatchObject({ handle: 'another' });
});

it('leaves a kept profile in use, and writes no file twice', async () => {
  const backup = join(office.home, 'backup.profile');
  const words = ['profiles', 'export', backup, '--profile', 'bob', '--keep'];
  expect(await office.data(words, secret)).toMatchObject({ kept: true });
  expect(await office.data(['whoami', '--check', '--profile', 'bob'])).toMatchObject({ is_accepted: true });
  expect(await office.error(words, secret)).toMatchObject({ code: 'file_exists', exitCode: 5 });
});

it('accepts a passphrase only from a terminal or the environment, and a new one only if long enough', async () => {
  const words = ['profiles', 'export', join(office.home, 'short.profile'), '--profile', 'bob'];
  expect(await office.error(words, { stdin: 'in a pipe it is not asked for' })).toMatchObject({ code: 'usage' });
  expect(await office.error(words, { env: { AGENTP_PASSPHRASE: 'too short' } })).toMatchObject({ code: 'usage' });
  const differing = await office.runOnTerminal(words, { stdin: 'the first of two\nthe second of two' });
  expect(differing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('differ') });
  expect(await office.data(['whoami', '--profile', 'bob'])).toMatchObject({ handle: 'bob' });
});
