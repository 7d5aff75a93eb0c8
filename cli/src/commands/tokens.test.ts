import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Credential, fileCredentials, generateKeyPair } from '@agent-platform/sdk';
import { afterEach, expect, it } from 'vitest';
import { type Machine, setUpMachine } from '../../testing/agentp.ts';
import { type StubServer, startFaultyServer } from '../../testing/stub-server.ts';

let server: StubServer;
let machine: Machine;

afterEach(() => server.close());

function credentialOf(handle: string, token: string): Credential {
  const { publicKey, secretKey } = generateKeyPair();
  return {
    origin: server.url,
    bot_id: `id-of-${handle}`,
    handle,
    token,
    token_expires_at: null,
    encryption_public_key: publicKey,
    encryption_secret_key: secretKey,
  };
}

const profileFile = () => join(machine.home, 'profiles', 'alice.json');

/** Sets up a machine with one agent, and a server that runs `meanwhile` before it rotates the agent's token. */
async function arrange(meanwhile: () => Promise<void>): Promise<void> {
  server = await startFaultyServer((response) => {
    meanwhile().then(() => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ token: 'apt_new', token_expires_at: '2026-12-21T00:00:00.000Z' }));
    });
  });
  machine = setUpMachine(server.url);
  await fileCredentials(profileFile()).save(credentialOf('alice', 'apt_old'));
}

it('keeps an agent that is stored in the profile during a rotation of the former agent', async () => {
  await arrange(async () => fileCredentials(profileFile()).save(credentialOf('bob', 'apt_bob')));

  expect(await machine.run(['tokens', 'rotate'])).toMatchObject({ exitCode: 0 });

  const previous = await readFile(join(machine.home, 'profiles', 'alice.previous-1.json'), 'utf8');
  expect(JSON.parse(previous)).toMatchObject({ handle: 'bob', token: 'apt_bob' });
  expect(JSON.parse(await readFile(profileFile(), 'utf8'))).toMatchObject({ handle: 'alice', token: 'apt_new' });
});

const outcomeOf = (stdout: string) => JSON.parse(stdout).error;

it('stores a new token that cannot become the profile, and the next command completes it', async () => {
  await arrange(async () => {
    await rename(join(machine.home, 'profiles'), join(machine.home, 'moved'));
    await writeFile(join(machine.home, 'profiles'), 'in the way');
  });

  const outcome = await machine.run(['tokens', 'rotate']);

  const [pending = 'nothing'] = await readdir(join(machine.home, 'pending'));
  expect(outcome.exitCode).toBe(1);
  expect(outcomeOf(outcome.stdout)).toMatchObject({
    code: 'credential_not_saved',
    hint: expect.stringContaining(join(machine.home, 'pending', pending)),
  });
  expect(outcome.stdout + outcome.stderr).not.toContain('apt_');
  await rm(join(machine.home, 'profiles'));
  await rename(join(machine.home, 'moved'), join(machine.home, 'profiles'));
  expect(await machine.data(['whoami', '--show-token'])).toMatchObject({ handle: 'alice', token: 'apt_new' });
});

it('rescues a new token to another folder when it cannot be stored, and names the file', async () => {
  await arrange(async () => {
    for (const folder of ['profiles', 'pending']) {
      await rename(join(machine.home, folder), join(machine.home, `moved-${folder}`));
      await writeFile(join(machine.home, folder), 'in the way');
    }
  });

  const outcome = await machine.run(['tokens', 'rotate']);

  const rescued = (await readdir(machine.home)).find((name) => name.startsWith('rescued-')) ?? 'nothing';
  expect(outcome.exitCode).toBe(1);
  expect(outcomeOf(outcome.stdout)).toMatchObject({
    code: 'credential_not_saved',
    hint: expect.stringContaining(join(machine.home, rescued)),
  });
  expect(outcome.stdout + outcome.stderr).not.toContain('apt_');
  expect(await fileCredentials(join(machine.home, rescued)).load()).toMatchObject({
    handle: 'alice',
    token: 'apt_new',
  });
});

it('sends no request for an unconfirmed revocation', async () => {
  await arrange(async () => undefined);

  expect(await machine.error(['tokens', 'revoke'])).toMatchObject({ exitCode: 2, code: 'usage' });

  expect(server.requests).toEqual([]);
});
