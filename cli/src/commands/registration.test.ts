import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Machine, newHandle, setUpMachine, startReferenceServer } from '../../testing/agentp.ts';

let server: Awaited<ReturnType<typeof startReferenceServer>>;
let machine: Machine;

beforeAll(async () => {
  server = await startReferenceServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  machine = setUpMachine(server.url);
});

const bearer = /apt_[\w-]{43}/;

it('registers an agent with a working token, and does not print the token', async () => {
  const handle = newHandle();

  const outcome = await machine.run(['register', '--handle', handle, '--display-name', 'Alice', '--public']);

  expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
  expect(outcome.stdout).not.toMatch(bearer);
  const { data } = JSON.parse(outcome.stdout);
  expect(data).toMatchObject({ bot: { handle, display_name: 'Alice', profile_public: true }, profile: handle });
  expect(await machine.data(['me', 'show'])).toEqual(data.bot);
});

it('keeps the credential in a private file in a private folder', async () => {
  const handle = await machine.register();

  const file = join(machine.home, 'profiles', `${handle}.json`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(machine.home, 'profiles'))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(machine.home, 'pending'))).toEqual([]);
});

it('prints the token with --show-token, for curl', async () => {
  await machine.register();

  const shown = await machine.run(['whoami', '--show-token', '--text', '--fields', 'token']);

  expect(shown.stdout).toMatch(/^apt_[\w-]{43}\n$/);
  const answer = await fetch(`${server.url}/api/v1/bots/me`, {
    headers: { authorization: `Bearer ${shown.stdout.trim()}` },
  });
  expect(answer.status).toBe(200);
});

it('reports the rejection of a repeated registration, and keeps the first agent', async () => {
  const handle = await machine.register();
  const before = await readFile(join(machine.home, 'profiles', `${handle}.json`), 'utf8');

  const error = await machine.error(['register', '--handle', handle, '--display-name', 'Copy']);

  expect(error).toMatchObject({ exitCode: 5, code: 'handle_unavailable', status: 409 });
  expect(error['request_id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(error['hint']).toBe(`The profile of ${handle} is on this machine: agentp profiles use ${handle}`);
  expect(await readFile(join(machine.home, 'profiles', `${handle}.json`), 'utf8')).toBe(before);
  expect(await readdir(join(machine.home, 'pending'))).toEqual([]);
});

it('names the command that registers another handle, with the given values', async () => {
  const handle = await machine.register();
  const other = setUpMachine(server.url);
  const words = ['--display-name', "Anna's agent", '--public'];

  const taken = await other.error(['register', '--handle', handle, ...words]);
  const capitals = await other.error(['register', '--handle', 'Anna_7', ...words]);

  expect(taken['hint']).toBe(
    `Choose another handle: agentp register --handle NAME --display-name 'Anna'\\''s agent' --public`,
  );
  expect(capitals['hint']).toBe(
    `A handle must not contain capitals: agentp register --handle anna_7 --display-name 'Anna'\\''s agent' --public`,
  );
});

it('makes the first agent current, and the second when it is selected', async () => {
  const first = await machine.register();
  const second = await machine.register();
  expect(await machine.data(['whoami'])).toMatchObject({ handle: first, is_current: true });

  await machine.data(['profiles', 'use', second]);

  expect(await machine.data(['whoami'])).toMatchObject({ handle: second });
  expect(await machine.data(['me', 'show', '--profile', first])).toMatchObject({ handle: first });
  expect(await machine.data(['me', 'show'], { env: { AGENTP_PROFILE: first } })).toMatchObject({ handle: first });
});

it('keeps the former agent of a profile in another file', async () => {
  const first = await machine.register();

  const handle = newHandle();
  const data = await machine.data(['register', '--handle', handle, '--display-name', 'B', '--profile', first]);

  const previous = join(machine.home, 'profiles', `${first}.previous-1.json`);
  expect(data['previous_profile_file']).toBe(previous);
  expect(JSON.parse(await readFile(previous, 'utf8'))).toMatchObject({
    handle: first,
    token: expect.stringMatching(bearer),
  });
  expect(await machine.data(['whoami'])).toMatchObject({ profile: first, handle });
});

it('changes only the named fields', async () => {
  await machine.register('--specialty', 'maps');
  const bio = join(machine.home, 'bio.txt');
  await writeFile(bio, 'Two\nlines.\n');

  const changed = await machine.data(['me', 'update', '--bio-file', bio, '--public']);

  expect(changed).toMatchObject({ specialty: 'maps', bio: 'Two\nlines.', profile_public: true });
  expect(await machine.data(['me', 'update', '--bio-file', '-', '--private'], { stdin: 'From stdin' })).toMatchObject({
    bio: 'From stdin',
    profile_public: false,
  });
});

it.each([
  [['me', 'update'], /contains no change/],
  [['me', 'update', '--public', '--private'], /cannot be used with/],
  [['me', 'update', '--bio', 'a', '--bio-file', 'b'], /cannot be used with/],
  [['me', 'update', '--bio-file', '/no/such/file'], /cannot be read/],
  [['me', 'update', '--bio-file', '/dev/zero'], /has more than/],
  [['register', '--display-name', 'Alice'], /--handle/],
  [['register', '--handle', 'alice', '--display-name', 'A', '--profile', '../up'], /valid profile name/],
  [['tokens', 'revoke'], /needs a confirmation/],
  [['me', 'show', '--timeout', 'soon'], /--timeout/],
  [['me', 'show', '--fields', 'a..b'], /--fields/],
  [['completion', 'tcsh'], /allowed choices/i],
])('rejects %j as a wrong command line', async (words, message) => {
  await machine.register();

  const error = await machine.error(words);

  expect(error).toMatchObject({ exitCode: 2, code: 'usage', message: expect.stringMatching(message) });
});

it('replaces the token on the server and in the profile', async () => {
  await machine.register();
  const before = await machine.data(['whoami', '--show-token']);

  const rotated = await machine.run(['tokens', 'rotate']);

  expect(rotated).toMatchObject({ exitCode: 0 });
  expect(rotated.stdout).not.toMatch(bearer);
  const after = await machine.data(['whoami', '--check', '--show-token']);
  expect(after).toMatchObject({ id: before['id'], is_accepted: true });
  expect(after['token']).not.toBe(before['token']);
});

it('revokes the token permanently, and reports it at the next use', async () => {
  const handle = await machine.register();

  expect(await machine.data(['tokens', 'revoke', '--yes'])).toEqual({ revoked: true, profile: handle, handle });

  expect(await machine.error(['me', 'show'])).toMatchObject({ exitCode: 3, code: 'no_credential' });
  expect(await machine.data(['whoami'])).toMatchObject({ handle, has_token: false, token_expires_at: null });
});

it('asks on a terminal before a revocation, and accepts only the handle', async () => {
  const handle = await machine.register();

  const refused = await machine.runOnTerminal(['tokens', 'revoke'], { stdin: 'y\n' });
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toContain('cannot be recovered');
  expect(await machine.data(['whoami', '--check'])).toMatchObject({ is_accepted: true });

  expect(await machine.runOnTerminal(['tokens', 'revoke'], { stdin: `${handle}\n` })).toMatchObject({ exitCode: 0 });
});

it('shows the agent without the network', async () => {
  const handle = await machine.register();

  const offline = await machine.data(['whoami'], { env: { AGENTP_BASE_URL: '' }, now: new Date(0) });

  expect(offline).toMatchObject({ handle, origin: server.url });
  expect(offline['encryption_key_fingerprint']).toMatch(/^[0-9a-f]{64}$/);
  expect(offline['days_left']).toBeGreaterThan(20_000);
});

it('suggests a registration when no profile exists', async () => {
  const error = await machine.error(['me', 'show']);

  expect(error).toMatchObject({ exitCode: 3, code: 'no_credential', hint: expect.stringContaining('agentp register') });
});

it('never sends a token to another server', async () => {
  await machine.register();

  const error = await machine.error(['me', 'show', '--base-url', 'http://127.0.0.1:1']);

  expect(error).toMatchObject({ exitCode: 2, code: 'wrong_origin', hint: expect.stringContaining('--profile') });
});

it('rejects a profile that other users can read, and lists the others', async () => {
  const first = await machine.register();
  const second = await machine.register();
  await chmod(join(machine.home, 'profiles', `${first}.json`), 0o644);

  const error = await machine.error(['me', 'show']);
  const { profiles } = await machine.data(['profiles', 'list']);

  expect(error).toMatchObject({
    exitCode: 3,
    code: 'credential_unreadable',
    message: expect.stringContaining('chmod 600'),
  });
  expect(profiles).toMatchObject([
    { name: first, is_readable: false, handle: null },
    { name: second, is_readable: true, handle: second },
  ]);
});

it('prints the details of an invalid input', async () => {
  await machine.register();

  const error = await machine.error(['me', 'update', '--specialty', 'x'.repeat(161)]);

  expect(error).toMatchObject({ exitCode: 6, code: 'invalid_input', status: 400, details: [{ path: '/specialty' }] });
});

it('reads an invitation code from the environment or a file, and prints it nowhere', async () => {
  const code = 'secret-invitation-code';
  const file = join(machine.home, 'code.txt');
  await writeFile(file, `${code}\n`);
  const words = ['register', '--handle', newHandle(), '--display-name', 'A', '--verbose'];

  const fromEnv = await machine.run(words, { env: { AGENTP_INVITATION: code } });
  const fromFile = await machine.run([...words, '--invitation-file', file]);
  const fromStdin = await machine.run([...words, '--invitation-file', '-'], { stdin: code });

  for (const outcome of [fromEnv, fromFile, fromStdin]) {
    expect(outcome.exitCode).toBe(3);
    expect(JSON.parse(outcome.stdout).error).toMatchObject({
      code: 'invalid_invitation',
      hint: expect.stringContaining('AGENTP_INVITATION'),
    });
    expect(outcome.stdout + outcome.stderr).not.toContain(code);
  }
});

it('prints each request with its id on stderr with --verbose, without secrets', async () => {
  await machine.register();

  const outcome = await machine.run(['tokens', 'rotate', '--verbose']);

  expect(outcome.stderr).toMatch(
    /^> POST http:\S+\/api\/v1\/tokens\/rotate\n< 200 in \d+ ms, request [0-9a-f-]{36}\n$/,
  );
});

it('prints a card with the control characters of texts made visible', async () => {
  await machine.register('--bio', 'red \u001b[31m and \u202eback');

  const shown = await machine.runOnTerminal(['me', 'show']);

  expect(shown.stdout).toContain('red <U+001B>[31m and <U+202E>back');
  expect(shown.stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
});
