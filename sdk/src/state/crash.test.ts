import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { CrashPlan } from '../../testing/crashing-agent.ts';
import { agent, befriend } from '../../testing/friends.ts';
import { startReferenceServer } from '../../testing/reference-server.ts';
import { durableStates, freshPlace } from '../../testing/states.ts';
import type { AgentPlatform } from '../agent-platform.ts';
import { fileCredentials } from '../file-credentials.ts';
import { unfenced } from '../untrusted.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../../testing/crashing-agent.ts', import.meta.url));
const stepsMost = 200;
const unlimited = { PLATFORM_MESSAGES_PER_MINUTE: '0', PLATFORM_WRITES_PER_MINUTE: '0' };

/** Runs the agent; false when it was killed. */
async function runAgent(plan: CrashPlan): Promise<boolean> {
  try {
    await run(process.execPath, [program, JSON.stringify(plan)], { timeout: 60_000, killSignal: 'SIGABRT' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'signal' in error && error.signal === 'SIGKILL') return false;
    throw error;
  }
}

async function linesOf(place: string): Promise<readonly string[]> {
  return (await readFile(join(place, 'log.txt'), 'utf8')).trimEnd().split('\n');
}

interface Scene {
  readonly alice: AgentPlatform;
  readonly credentials: string;
  readonly baseUrl: string;
  readonly place: string;
}

/** Alice in this process, and Bob's credential for the program that is killed. */
async function scene(): Promise<Scene> {
  const place = await freshPlace();
  const baseUrl = await startReferenceServer(unlimited);
  const credentials = join(place, 'bob.json');
  const alice = await agent(baseUrl, 'alice');
  await befriend(alice, await agent(baseUrl, 'bob', { credentials: fileCredentials(credentials) }));
  return { alice, credentials, baseUrl, place };
}

describe.each(durableStates)('an agent whose state is in $name', { timeout: 300_000 }, ({ kind, make }) => {
  it('is killed at every step of receiving: it loses no event, and sees none again that it finished', async () => {
    const { alice, credentials, baseUrl, place: root } = await scene();
    const killedBefore = new Set<string>();

    for (let killAt = 1; killAt <= stepsMost; killAt += 1) {
      const place = join(root, `receive-${killAt}`);
      await mkdir(place);
      const wanted: string[] = [];
      for (const text of ['one', 'two']) wanted.push((await alice.messages.send('bob', text)).id);
      const plan: CrashPlan = { baseUrl, credentials, kind, place, killAt, work: { receive: wanted } };
      const isThrough = await runAgent(plan);
      if (!isThrough) expect(await runAgent({ ...plan, killAt: 0 })).toBe(true);

      const lines = await linesOf(place);
      for (const line of lines) if (line.startsWith('killed')) killedBefore.add(line);
      const inbox = (await make(place).open(await ownerOf(credentials))).inbox;
      const finished = (await inbox.list('finished')).map(({ event }) => JSON.stringify(event.payload));
      for (const id of wanted) {
        const what = `${id}, killed at step ${killAt}: ${lines.join(', ')}`;
        const shown = lines.lastIndexOf(`shown ${id}`);
        expect(shown, what).toBeGreaterThan(-1);
        // Killed within `done()`, it may be finished without having heard of it; never the other way round.
        if (lines.includes(`finished ${id}`)) expect(shown, what).toBeLessThan(lines.indexOf(`finished ${id}`));
        expect(
          finished.filter((text) => text.includes(id)),
          what,
        ).toHaveLength(1);
      }
      if (isThrough) break;
    }

    expect([...killedBefore].toSorted()).toEqual(kind === 'folder' ? folderReceiving : sqliteReceiving);
  });

  it('is killed at every step of sending: the message arrives once, and with the bytes that were kept', async () => {
    const { alice, credentials, baseUrl, place: root } = await scene();
    const killedBefore = new Set<string>();
    let keptOnce = 0;

    for (let killAt = 1; killAt <= stepsMost; killAt += 1) {
      const place = join(root, `send-${killAt}`);
      await mkdir(place);
      const clientMessageId = randomUUID();
      const work = { send: `hello ${killAt}`, to: 'alice', clientMessageId };
      const plan: CrashPlan = { baseUrl, credentials, kind, place, killAt, work };
      const isThrough = await runAgent(plan);
      const kept = await (await make(place).open(await ownerOf(credentials))).outbox.list();
      if (!isThrough) expect(await runAgent({ ...plan, killAt: 0 })).toBe(true);

      for (const line of await linesOf(place)) if (line.startsWith('killed')) killedBefore.add(line);
      const arrived = (await alice.messages.list('bob')).messages.filter(
        ({ message }) => message.client_message_id === clientMessageId,
      );
      expect(arrived.map(({ text }) => (text === null ? null : unfenced(text)))).toEqual([`hello ${killAt}`]);
      for (const { envelope } of kept) {
        keptOnce += 1;
        expect(arrived[0]?.message).toMatchObject({ nonce: envelope.nonce, ciphertext: envelope.ciphertext });
      }
      expect(await (await make(place).open(await ownerOf(credentials))).outbox.list()).toEqual([]);
      if (isThrough) break;
    }

    expect([...killedBefore].toSorted()).toEqual(kind === 'folder' ? folderSending : sqliteSending);
    expect(keptOnce).toBeGreaterThan(2);
  });
});

// What the kills stood before. A step that is added shows up here.
const folderReceiving = ['link', 'move', 'remove', 'write'].map((step) => `killed before ${step}`);
const sqliteReceiving = ['finish', 'keep', 'lease', 'open'].map((step) => `killed before ${step}`);
const folderSending = ['link', 'remove', 'the answer', 'the request', 'write'].map((step) => `killed before ${step}`);
const sqliteSending = ['keep', 'open', 'remove', 'the answer', 'the request'].map((step) => `killed before ${step}`);

async function ownerOf(credentials: string) {
  const credential = await fileCredentials(credentials).load();
  if (credential === undefined) throw new Error('There is no credential.');
  return { origin: credential.origin, bot_id: credential.bot_id };
}
