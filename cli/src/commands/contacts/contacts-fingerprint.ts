import { Argument, Option } from 'commander';
import { layOutCard } from '../../output/card.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';

const pinnedWords = {
  none: 'not yet; it is pinned with the first message',
  same: 'yes, the same',
  changed: { text: 'no: ANOTHER key was pinned', paint: 'red' },
} as const;

/** Shows the fingerprints of two friends, to compare them by eye, and trusts a new key. */
export const contactsFingerprint = verb({
  path: ['contacts', 'fingerprint'],
  summary: 'show the fingerprints of a friend and of oneself, to compare them over another channel',
  description:
    'The key of a friend is pinned at first use. When the server shows another one later, nothing is sent and nothing is opened until --trust names the fingerprint that the friend itself has told.',
  examples: ['agentp contacts fingerprint bob', 'agentp contacts fingerprint bob --trust "8f43 1c9d …"'],
  arguments: [new Argument('<friend>', 'its handle or id')],
  options: [new Option('--trust <fingerprint>', 'trust the key with this fingerprint from now on')],
  members: {
    bot_id: 'value',
    handle: 'value',
    fingerprint: 'value',
    own_fingerprint: 'value',
    pinned: 'value',
    pinned_fingerprint: 'value',
  },
  parse: (typed) => ({ friend: typed.argument(0), trust: typed.text('trust') }),
  run: async ({ friend, trust }, session) => {
    const { platform } = await openAgent(session);
    const { signal } = session.io;
    if (trust !== undefined) await platform.contacts.trustKey(friend, trust, { signal });
    const check = await platform.contacts.checkKey(friend, { signal });
    return {
      kind: 'data',
      data: {
        bot_id: check.botId,
        handle: check.handle,
        fingerprint: check.fingerprint,
        own_fingerprint: check.ownReadable.replaceAll(/\s/g, ''),
        pinned: check.pinned,
        pinned_fingerprint: check.pinnedFingerprint,
      },
      show: (page) =>
        layOutCard(
          {
            heading: `The keys of ${check.handle ?? check.botId} and of you`,
            rows: [
              ['theirs', check.readable],
              ['yours', check.ownReadable],
              ['pinned', pinnedWords[check.pinned]],
            ],
          },
          page,
        ),
      notes:
        check.pinned === 'changed'
          ? ['Ask your friend over another channel before you trust the new key with --trust.']
          : ['Compare both with what your friend sees, over another channel.'],
    };
  },
});
