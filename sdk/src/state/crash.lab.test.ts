import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isThoroughRun } from '@agent-platform/testing';
import { describe, expect, it } from 'vitest';
import { killAtEachStep, prepareAgents, runCrashingAgent } from '../../testing/kills.ts';
import type { CrashPlan } from '../../testing/programs/crashing-agent.ts';
import { makeDurableState } from '../../testing/states.ts';
import { unfenced } from '../untrusted.ts';
import { toRememberedEnvelope } from './remembered-envelopes.ts';

// Every step that changes what a later process reads. A kill at any time between two steps leaves the same state.
const receivingSteps = ['open', 'keepAll', 'lease', 'finish'];
const sendingSteps = ['open', 'keep', 'remove', 'the request', 'the answer'];
const replyingSteps = ['keepAll', 'lease', 'finish', 'keep', 'remove', 'the request', 'the answer'];

describe('an agent whose state is in node:sqlite', () => {
  it('is killed at every step of receiving: it loses no event, and receives no finished one again', async () => {
    const { alice, credentials, baseUrl, root, owner } = await prepareAgents();

    await killAtEachStep(receivingSteps, root, async (kill, place) => {
      const wanted: string[] = [];
      for (const text of ['one', 'two']) wanted.push((await alice.messages.send('bob', text)).id);
      const plan: CrashPlan = { baseUrl, credentials, place, kill, work: { receive: wanted } };
      const isThrough = await runCrashingAgent(plan);
      if (!isThrough) expect(await runCrashingAgent({ ...plan, kill: null })).toBe(true);

      const lines = (await readFile(join(place, 'log.txt'), 'utf8')).trimEnd().split('\n');
      const { inbox } = await makeDurableState(place).open(owner);
      const finished = (await inbox.list('finished')).map(({ event }) => JSON.stringify(event.payload));
      for (const id of wanted) {
        const what = `${id}, killed before ${kill.step} ${kill.occurrence}: ${lines.join(', ')}`;
        const shown = lines.lastIndexOf(`shown ${id}`);
        expect(shown, what).toBeGreaterThan(-1);
        // If a process is killed in `done()`, the event may be finished although `done()` did not return, but never the
        // reverse.
        if (lines.includes(`finished ${id}`)) expect(shown, what).toBeLessThan(lines.indexOf(`finished ${id}`));
        expect(
          finished.filter((text) => text.includes(id)),
          what,
        ).toHaveLength(1);
      }
      return isThrough;
    });
  });

  it('is killed at every step of sending: the message arrives once, with the bytes that were stored', async () => {
    const { alice, credentials, baseUrl, root, owner } = await prepareAgents();
    let keptOnce = 0;

    await killAtEachStep(sendingSteps, root, async (kill, place) => {
      const clientMessageId = randomUUID();
      const text = `${kill.step} ${kill.occurrence}`;
      const work = { send: text, to: 'alice', clientMessageId };
      const plan: CrashPlan = { baseUrl, credentials, place, kill, work };
      const isThrough = await runCrashingAgent(plan);
      const { outbox, nonces } = await makeDurableState(place).open(owner);
      const kept = await outbox.list();
      const sent = kept.map((entry) => toRememberedEnvelope(entry));
      const received = sent.map((envelope) => ({ ...envelope, direction: 'received' as const }));
      expect(await nonces.remember(received)).toEqual(sent);
      if (!isThrough) expect(await runCrashingAgent({ ...plan, kill: null })).toBe(true);

      const arrived = (await alice.messages.list('bob')).messages.filter(
        ({ message }) => message.client_message_id === clientMessageId,
      );
      expect(arrived.map((one) => (one.text === null ? null : unfenced(one.text)))).toEqual([text]);
      for (const { envelope } of kept) {
        keptOnce += 1;
        expect(arrived[0]?.message).toMatchObject({ nonce: envelope.nonce, ciphertext: envelope.ciphertext });
      }
      expect(await outbox.list()).toEqual([]);
      return isThrough;
    });
    expect(keptOnce).toBeGreaterThan(isThoroughRun ? 2 : 0);
  });

  it('is killed after it replied to a message and before the event is finished: the reply is sent once', async () => {
    const { alice, credentials, baseUrl, root, owner } = await prepareAgents();
    await alice.messages.send('bob', 'Hello');
    const plan: CrashPlan = { baseUrl, credentials, place: root, kill: null, work: { answer: 'Hello, Alice' } };

    expect(await runCrashingAgent({ ...plan, kill: { step: 'finish', occurrence: 1 } })).toBe(false);
    expect((await alice.messages.list('bob')).messages).toHaveLength(2);
    expect(await runCrashingAgent(plan)).toBe(true);

    const { messages } = await alice.messages.list('bob');
    expect(messages.map(({ text }) => text === null || unfenced(text))).toEqual(['Hello, Alice', 'Hello']);
    const { inbox, outbox } = await makeDurableState(root).open(owner);
    const finished = await inbox.list('finished');
    expect(finished.filter(({ event }) => event.kind === 'message.created')).toMatchObject([{ attempts: 2 }]);
    expect(await outbox.list()).toEqual([]);
  });

  it('is killed at every step of a handler with two replies: each is sent once, in order', async () => {
    const { alice, credentials, baseUrl, root } = await prepareAgents();

    const killed = await killAtEachStep(replyingSteps, root, async (kill, place) => {
      const about = `${kill.step} ${kill.occurrence}`;
      await alice.messages.send('bob', about);
      const replies = [`one: ${about}`, `two: ${about}`];
      const plan: CrashPlan = { baseUrl, credentials, place, kill, work: { replies } };
      const isThrough = await runCrashingAgent(plan);
      if (!isThrough) expect(await runCrashingAgent({ ...plan, kill: null })).toBe(true);

      const texts = (await alice.messages.list('bob')).messages.map(({ text }) =>
        text === null ? null : unfenced(text),
      );
      expect(texts.slice(0, 3)).toEqual([...replies.toReversed(), about]);
      expect(texts.filter((text) => text?.endsWith(about))).toHaveLength(3);
      return isThrough;
    });
    expect(killed).toBeGreaterThan(isThoroughRun ? 10 : 6);
  });
});
