import { layOutCard } from '../../output/card.ts';
import { passportMembers } from '../../output/record-fields.ts';
import { openAgent } from '../../session/session.ts';
import { nothing, verb } from '../command.ts';
import { passportRows } from './own-profile-format.ts';

/** Reads the own passport from the server. */
export const meShow = verb({
  path: ['me', 'show'],
  summary: 'show the own passport, as the server has it',
  examples: ['agentp me show', 'agentp me show --json --fields handle,encryption_key_fingerprint'],
  members: passportMembers,
  parse: nothing,
  run: async (_, session) => {
    const { platform } = await openAgent(session);
    const bot = await platform.bots.me({ signal: session.io.signal });
    return {
      kind: 'data',
      data: { ...bot },
      show: (page) => layOutCard({ heading: bot.display_name, rows: passportRows(bot) }, page),
    };
  },
});
