import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failureOf } from '../../testing/records.ts';
import { makeDurableState, type StateFactory, stateFactories, storeEvent } from '../../testing/states.ts';
import type { OutboxEntry, StateLimits, StoredEvent } from './client-state.ts';
import { folderState, sqliteState } from './sqlite-state.ts';

const owner = { origin: 'https://platform.example', bot_id: '01931f6e-0000-7000-8000-000000000001' };

async function open(make: StateFactory, limits: StateLimits = {}) {
  const place = makeTestFolder();
  const state = make(place, limits);
  onTestFinished(() => state.close());
  const opened = await state.open(owner);
  return { ...opened, state, place };
}

function eventOf(number: number): StoredEvent {
  return {
    event_id: `01931f6e-0000-7000-8000-${String(number).padStart(12, '0')}`,
    kind: 'message.created',
    payload: { number },
  };
}

function entryOf(id: string, keptAt = '2026-11-21T09:00:00.000Z'): OutboxEntry {
  return {
    kept_at: keptAt,
    envelope: {
      recipient_id: '01931f6e-0000-7000-8000-000000000002',
      client_message_id: id,
      encryption_version: 'box-v1',
      nonce: 'A'.repeat(32),
      ciphertext: 'A'.repeat(24),
      sender_public_key: 'own',
      recipient_public_key: 'theirs',
    },
  };
}

const [first, second, _third] = [eventOf(1), eventOf(2), eventOf(3)];
const leaseMs = 1_000;

describe.each(stateFactories)('the outbox in $name', ({ make }) => {
  it('stores an envelope once, returns all of them oldest first, and removes on request', async () => {
    const { outbox } = await open(make);
    const one = entryOf('11111111-0000-4000-8000-000000000002');
    const other = entryOf('00000000-0000-4000-8000-000000000001', '2026-11-21T09:00:01.000Z');

    expect(await outbox.keep(one)).toBe('kept');
    expect(await outbox.keep({ ...one, kept_at: 'later' })).toBe('known');
    expect(await outbox.keep(other)).toBe('kept');
    expect(await outbox.list()).toEqual([one, other]);
    await outbox.remove(one.envelope.client_message_id);
    await outbox.remove(one.envelope.client_message_id);
    expect(await outbox.list()).toEqual([other]);
  });

  it('has a limit', async () => {
    const { outbox } = await open(make, { outboxMax: 1 });

    expect(await outbox.keep(entryOf('00000000-0000-4000-8000-000000000001'))).toBe('kept');
    expect(await outbox.keep(entryOf('00000000-0000-4000-8000-000000000002'))).toBe('full');
  });
});

describe.each(stateFactories)('the pins in $name', ({ make }) => {
  it('keep the first key until it is replaced', async () => {
    const { pins } = await open(make);
    const pin = { bot_id: owner.bot_id, handle: 'alice', public_key: 'one', pinned_at: 'then' };

    expect(await pins.get(owner.bot_id)).toBeUndefined();
    expect(await pins.keep(pin)).toEqual(pin);
    expect(await pins.keep({ ...pin, public_key: 'other' })).toEqual(pin);
    await pins.replace({ ...pin, public_key: 'other' });
    expect(await pins.get(owner.bot_id)).toEqual({ ...pin, public_key: 'other' });
    // A key that is or was pinned for one agent cannot be pinned for another one.
    for (const public_key of ['other', 'one'])
      for (const write of [pins.keep, pins.replace])
        expect(await write({ ...pin, bot_id: 'another', public_key })).toMatchObject({ bot_id: owner.bot_id });
    // The same agent may use its former key again.
    expect(await pins.replace(pin)).toEqual(pin);
    expect(await pins.list()).toHaveLength(1);
  });
});

describe.each(stateFactories)('a state in $name', ({ make }) => {
  it('is for one agent on one server', async () => {
    const { state } = await open(make);

    expect(await failureOf(state.open({ ...owner, bot_id: 'another' }))).toMatchObject({
      code: 'state_of_other_agent',
    });
    expect(await failureOf(state.open({ ...owner, origin: 'https://else.example' }))).toMatchObject({
      code: 'state_of_other_agent',
    });
  });
});

describe('a state in node:sqlite', () => {
  it('is available again after the process has ended', async () => {
    const { place, inbox, outbox, pins, state } = await open(makeDurableState);
    const pin = { bot_id: owner.bot_id, handle: null, public_key: 'one', pinned_at: 'then' };
    await storeEvent(inbox, first, 'a');
    await storeEvent(inbox, second, 'a');
    await inbox.finish(second.event_id, undefined, 0);
    await outbox.keep(entryOf(second.event_id));
    await pins.keep(pin);
    await state.close();

    const again = makeDurableState(place);
    const opened = await again.open(owner);
    expect(await storeEvent(opened.inbox, second, 'a')).toBe('known');
    expect((await opened.inbox.lease(0, leaseMs))?.event).toEqual(first);
    expect(await opened.outbox.list()).toEqual([entryOf(second.event_id)]);
    expect(await opened.pins.list()).toEqual([pin]);
    await again.close();
  });
});

describe('a state on disk', () => {
  it('is readable only by its owner', async () => {
    const place = makeTestFolder();
    const state = folderState(join(place, 'state'));
    await (await state.open(owner)).outbox.keep(entryOf(second.event_id));

    const modes = await Promise.all(
      ['state/state.sqlite', 'state/state.sqlite-wal', 'state'].map(
        async (name) => (await stat(join(place, name))).mode & 0o777,
      ),
    );
    await state.close();
    expect(modes).toEqual([0o600, 0o600, 0o700]);
  });

  it('is not changed when a later version wrote it', async () => {
    const place = makeTestFolder();
    const file = join(place, 'other.sqlite');
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(file);
    database.exec('pragma user_version = 3');
    database.close();

    const laterDatabase = sqliteState(file);
    onTestFinished(() => laterDatabase.close());
    expect(await failureOf(laterDatabase.open(owner))).toMatchObject({ code: 'state_newer' });
  });
});
