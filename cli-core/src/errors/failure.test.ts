import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileCredentials, generateKeyPair } from '@agent-platform/sdk';
import { afterEach, expect, it } from 'vitest';
import { type Machine, setUpMachine } from '../../../cli/testing/agentp.ts';
import { type StubServer, startFaultyServer } from '../../../cli/testing/stub-server.ts';

let server: StubServer;
let machine: Machine;

async function arrange(answer: Parameters<typeof startFaultyServer>[0]): Promise<void> {
  server = await startFaultyServer(answer);
  machine = setUpMachine(server.url);
}
afterEach(() => server.close());

const registration = ['register', '--handle', 'alice', '--display-name', 'Alice'];

function refuse(status: number, code: string, headers: Record<string, string> = {}) {
  return arrange((response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { code, message: 'The server says no.' } }));
  });
}

it.each([
  [400, 'invalid_input', 6],
  [403, 'registration_unavailable', 3],
  [404, 'not_found', 4],
  [409, 'handle_unavailable', 5],
  [413, 'body_too_large', 6],
  [418, 'a_code_of_tomorrow', 6],
])('reports a rejection with %i %s with the exit code %i, and leaves no file', async (status, code, exitCode) => {
  await refuse(status, code, { 'request-id': 'r-1' });

  expect(await machine.error(registration)).toMatchObject({
    exitCode,
    code,
    status,
    message: 'The server says no.',
    request_id: 'r-1',
  });
  expect(await readdir(join(machine.home, 'pending'))).toEqual([]);
  expect(server.requests).toEqual(['POST /api/v1/bots/register']);
});

it('reports when a rate limit ends', async () => {
  await refuse(429, 'registration_limited', { 'retry-after': '17' });

  expect(await machine.error(registration)).toMatchObject({ exitCode: 7, retry_after_seconds: 17 });
});

it.each([
  ['breaks the connection', (response: { destroy(): void }) => response.destroy()],
  [
    'responds with its own page',
    (response: import('node:http').ServerResponse) => response.writeHead(502).end('<html>Bad gateway</html>'),
  ],
  [
    'returns 201 with an unreadable body',
    (response: import('node:http').ServerResponse) => response.writeHead(201).end('{"bot":'),
  ],
])('reports an unknown outcome of a registration when the server %s, and keeps the request', async (_, answer) => {
  await arrange(answer);

  const error = await machine.error(registration);

  expect(error).toMatchObject({
    exitCode: 9,
    code: 'outcome_unknown',
    message: expect.stringContaining('another handle'),
  });
  const [file = ''] = await readdir(join(machine.home, 'pending'));
  expect(error['hint']).toContain(join(machine.home, 'pending', file));
  const kept = JSON.parse(await readFile(join(machine.home, 'pending', file), 'utf8'));
  expect(kept).toMatchObject({ handle: 'alice', origin: server.url, token: null });
  expect(server.requests).toHaveLength(1);
});

it('reports a registration without a response in doctor', async () => {
  await arrange((response) => response.destroy());
  await machine.run(registration);

  const { stdout } = await machine.run(['doctor']);

  expect(JSON.parse(stdout).data.checks).toContainEqual(
    expect.objectContaining({
      name: 'pending_registration',
      outcome: 'warn',
      message: expect.stringContaining('"alice"'),
    }),
  );
});

it('reports a long wait for the next attempt on a terminal', async () => {
  let answers = 0;
  await arrange((response) => {
    answers += 1;
    response.writeHead(answers === 1 ? 429 : 401, { 'content-type': 'application/json', 'retry-after': '2' });
    response.end(JSON.stringify({ error: { code: answers === 1 ? 'rate_limited' : 'unauthorized', message: 'No.' } }));
  });
  const { publicKey, secretKey } = generateKeyPair();
  await fileCredentials(join(machine.home, 'profiles', 'alice.json')).save({
    origin: server.url,
    bot_id: 'id',
    handle: 'alice',
    token: 'apt_x',
    token_expires_at: null,
    encryption_public_key: publicKey,
    encryption_secret_key: secretKey,
  });

  const { exitCode, stderr } = await machine.runOnTerminal(['me', 'show']);

  expect(exitCode).toBe(3);
  expect(stderr).toMatch(
    /^agentp: No\. Next attempt in \d s\.\nagentp: No\. \(401 unauthorized, retry after 2 s\)\n {2}The token is/,
  );
});

it('suggests how to start a server when none responds', async () => {
  await arrange((response) => response.destroy());

  const error = await machine.error([
    'register',
    '--handle',
    'alice',
    '--display-name',
    'A',
    '--base-url',
    'http://127.0.0.1:1',
  ]);

  expect(error).toMatchObject({ exitCode: 8, code: 'connection_failed', hint: expect.stringContaining('npm start') });
});

it('refuses to send a token over a network without encryption', async () => {
  await arrange((response) => response.destroy());

  const error = await machine.error([...registration, '--base-url', 'http://platform.example']);

  expect(error).toMatchObject({
    exitCode: 2,
    code: 'invalid_option',
    message: expect.stringContaining('unencrypted to http://platform.example'),
    hint: expect.stringMatching(/https.*127\.0\.0\.1/),
  });
  expect(JSON.stringify(error)).not.toContain('allowPlainHttp');
  expect(await readdir(machine.home)).toEqual([]);
});

it('reports other errors of an address before missing encryption', async () => {
  await arrange((response) => response.destroy());

  const error = await machine.error([...registration, '--base-url', 'http://alice:pw@platform.example']);

  expect(error).toMatchObject({ exitCode: 2, message: expect.stringContaining('password') });
});

it.each([registration, ['me', 'update', '--bio', 'new'], ['tokens', 'rotate'], ['tokens', 'revoke', '--yes']])(
  'does nothing when --fields names a field that the output never has: %s %s',
  async (...words) => {
    await arrange((response) => response.destroy());
    const { publicKey, secretKey } = generateKeyPair();
    await fileCredentials(join(machine.home, 'profiles', 'bob.json')).save({
      origin: server.url,
      bot_id: 'id',
      handle: 'bob',
      token: 'apt_x',
      token_expires_at: null,
      encryption_public_key: publicKey,
      encryption_secret_key: secretKey,
    });

    expect(await machine.error([...words, '--fields', 'handel'])).toMatchObject({ exitCode: 2, code: 'usage' });
    expect(server.requests).toEqual([]);
    expect(await readdir(machine.home)).toEqual(['profiles']);
  },
);

it('sends no request when the credential could not be stored', async () => {
  await arrange((response) => response.destroy());

  const inTheWay = join(machine.home, 'file');
  await writeFile(inTheWay, '');

  const error = await machine.error(registration, { env: { AGENTP_HOME: join(inTheWay, 'agentp') } });

  expect(error).toMatchObject({ exitCode: 1, code: 'store_unwritable', hint: expect.stringContaining('AGENTP_HOME') });
  expect(server.requests).toEqual([]);
});

it('stops at the time limit of --timeout', async () => {
  await arrange(() => undefined);

  expect(await machine.error([...registration, '--timeout', '0.2'])).toMatchObject({ exitCode: 9 });
});
