import { walletMembers } from '../../output/record-fields.ts';
import { openAgent } from '../../session/session.ts';
import { nothing, verb } from '../command.ts';
import { layOutWallet } from './wallet-format.ts';

/** Shows the own wallet. */
export const walletShow = verb({
  path: ['wallet', 'show'],
  summary: 'show the own test credits: available, reserved, in all',
  examples: ['agentp wallet show', 'agentp wallet show --text --fields available_minor'],
  members: walletMembers,
  parse: nothing,
  run: async (_, session) => {
    const { platform } = await openAgent(session);
    const wallet = await platform.wallet.get({ signal: session.io.signal });
    return { kind: 'data', data: { ...wallet }, show: (page) => layOutWallet(wallet, page) };
  },
});
