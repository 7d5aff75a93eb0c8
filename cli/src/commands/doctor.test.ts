import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Machine, setUpMachine, startReferenceServer } from '../../testing/agentp.ts';

let server: Awaited<ReturnType<typeof startReferenceServer>>;
let machine: Machine;

beforeAll(async () => {
  server = await startReferenceServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  machine = setUpMachine(server.url);
});

it('reports a healthy agent in doctor', async () => {
  await machine.register();

  const { checks } = await machine.data(['doctor']);

  const found = Array.isArray(checks) ? checks.map(({ name, outcome }) => `${name} ${outcome}`) : [];
  expect(found).toEqual([
    'node ok',
    'config_folder ok',
    'config_folder ok',
    'config_folder ok',
    'profile ok',
    'token_expiry ok',
    'server_live ok',
    'server_ready ok',
    'clock ok',
    'token ok',
    'keys ok',
  ]);
});

const afterExpiry = new Date(Date.now() + 31 * 86_400_000);
const nowhere = { AGENTP_BASE_URL: 'http://127.0.0.1:1' };

it.each([
  ['an old Node.js', { nodeVersion: '22.18.0' }, 'node', 'fail'],
  ['a token that ends soon', { now: new Date(Date.now() + 27 * 86_400_000) }, 'token_expiry', 'warn'],
  ['an accepted token that has ended by the clock', { now: afterExpiry }, 'token_expiry', 'warn'],
  ['a token that has ended', { now: afterExpiry, env: nowhere }, 'token_expiry', 'fail'],
  ['a clock that is wrong', { now: new Date(Date.now() + 60_000) }, 'clock', 'warn'],
  ['a server that is not there', { env: nowhere }, 'server_live', 'fail'],
])('reports %s in doctor', async (_, world, name, outcome) => {
  await machine.register();

  const { exitCode, stdout } = await machine.run(['doctor'], world);

  const { ok, data } = JSON.parse(stdout);
  expect(data.checks).toContainEqual(expect.objectContaining({ name, outcome, hint: expect.any(String) }));
  expect({ exitCode, ok }).toEqual(outcome === 'fail' ? { exitCode: 1, ok: false } : { exitCode: 0, ok: true });
});

it('reports whether the state of the agent can be used', async () => {
  const handle = await machine.register();
  const stateChecks = async () => {
    const { data } = JSON.parse((await machine.run(['doctor'])).stdout);
    return data.checks.filter(({ name }: { readonly name: string }) => name === 'state');
  };
  expect(await stateChecks()).toEqual([]);
  const { bot_id } = JSON.parse(await readFile(join(machine.home, 'profiles', `${handle}.json`), 'utf8'));
  const folder = join(machine.home, 'state', bot_id);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, 'state.sqlite'), 'damaged'.repeat(100));

  expect(await stateChecks()).toMatchObject([
    {
      outcome: 'fail',
      message: expect.stringContaining('file is not a database'),
      hint: expect.stringContaining('restore'),
    },
  ]);
  await writeFile(join(folder, 'state.sqlite'), '');
  expect(await stateChecks()).toMatchObject([{ outcome: 'ok' }]);
});

it('explains why there is no profile, with the next step', async () => {
  const profileCheck = async (...words: string[]) => {
    const { data } = JSON.parse((await machine.run(['doctor', ...words])).stdout);
    return data.checks.find(({ name }: { readonly name: string }) => name === 'profile');
  };
  expect(await profileCheck()).toMatchObject({
    message: 'This machine has no profile.',
    hint: expect.stringMatching(/^Register an agent: agentp register /),
  });
  const [first, second] = [await machine.register(), await machine.register()];
  const file = join(machine.home, 'alice.profile');
  const secret = { env: { AGENTP_PASSPHRASE: 'a heron on the lake' } };
  await machine.data(['profiles', 'export', file, '--profile', first], secret);

  const hint = `Choose a profile: agentp profiles use ${second}; To use an exported profile here again: agentp profiles import FILE`;
  expect(await profileCheck()).toMatchObject({
    message: `No profile is selected. "${first}" was exported for use on another machine. Profiles: ${second}.`,
    hint,
  });
  expect(await profileCheck('--profile', first)).toMatchObject({
    message: `The profile "${first}" does not exist. It was exported for use on another machine. Profiles: ${second}.`,
    hint,
  });
  expect(await readFile(join(machine.home, 'current-profile'), 'utf8')).not.toContain(first);
});

it('names the profile in a next step if it is not the current one', async () => {
  await machine.register();
  const second = await machine.register();
  const late = { now: new Date(Date.now() + 27 * 86_400_000) };

  expect((await machine.run(['doctor', '--profile', second], late)).stdout).toContain(
    `"Rotate it before then: agentp tokens rotate --profile ${second}"`,
  );
  expect((await machine.run(['doctor'], late)).stdout).toContain('"Rotate it before then: agentp tokens rotate"');
});

it("reports a rejected token in doctor, and a key that differs from the server's", async () => {
  const handle = await machine.register();
  const other = await machine.register();
  const file = join(machine.home, 'profiles', `${handle}.json`);
  const own = JSON.parse(await readFile(file, 'utf8'));
  const foreign = JSON.parse(await readFile(join(machine.home, 'profiles', `${other}.json`), 'utf8'));

  await writeFile(file, JSON.stringify({ ...own, token: `apt_${'A'.repeat(43)}` }));
  expect(JSON.parse((await machine.run(['doctor'])).stdout).data.checks).toContainEqual(
    expect.objectContaining({ name: 'token', outcome: 'fail' }),
  );

  const { encryption_public_key, encryption_secret_key } = foreign;
  await writeFile(file, JSON.stringify({ ...own, encryption_public_key, encryption_secret_key }));
  expect(JSON.parse((await machine.run(['doctor'])).stdout).data.checks).toContainEqual(
    expect.objectContaining({ name: 'keys', outcome: 'fail' }),
  );
});
