import { join } from 'node:path';
import { type KillableServer, startKillableServer } from '@agent-platform/testing';
import { moveServer, oldDataSettings, unpackOldData } from '@agent-platform/testing/old-data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, type Machine, openMachine } from '../testing/agentp.ts';

describe('profiles of version 0.1.0', () => {
  const old = unpackOldData();
  const home = join(old.folder, 'agentp');
  let server: KillableServer;
  let machine: Machine;

  beforeAll(async () => {
    server = await startKillableServer({ PLATFORM_DATA_DIR: join(old.folder, 'data'), ...oldDataSettings });
    moveServer(home, old.origin, server.url);
    machine = openMachine(home, server.url);
  });
  afterAll(() => server.stop());

  const as = (profile: string, ...words: string[]): Promise<Json> => machine.data([...words, '--profile', profile]);
  const titlesOf = async (): Promise<string> => JSON.stringify(await as('alice', 'orders', 'list'));

  it('are all there, with the current profile', async () => {
    expect(await machine.data(['profiles', 'list'])).toMatchObject({
      profiles: [{ name: 'alice' }, { name: 'bob_1' }, { name: 'mallory' }],
    });
    expect(await machine.data(['whoami'])).toMatchObject({ handle: 'alice' });
  });

  it('name the registration whose answer was lost', async () => {
    const { stdout } = await machine.runOnTerminal(['doctor']);
    expect(stdout).toContain('erin');
  });

  it('hold an order that was not answered, which takes effect once', async () => {
    await as('alice', 'orders', 'resume');
    await as('alice', 'orders', 'resume');
    expect((await titlesOf()).match(/pending of agentp/g)).toHaveLength(1);
  });

  it('hold a message that was not answered, which arrives once', async () => {
    await as('alice', 'messages', 'resume');
    await as('alice', 'messages', 'resume');
    const messages = JSON.stringify(await as('bob_1', 'messages', 'list', 'alice'));
    expect(messages.match(/pending of agentp/g)).toHaveLength(1);
    expect(messages).toContain('Hello, Alice');
  });
});
