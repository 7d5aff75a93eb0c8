import { readWalletHistory, Wallet } from '@agent-platform/contract';
import { memberOf, object } from './schemas/json-schema.ts';
import { ownView } from './schemas/record-view.ts';
import type { Tool } from './tool.ts';

const wallet = ownView(Wallet);
const history = ownView(readWalletHistory.replies[200]);

/** The tools for the own credits. */
export const walletTools: readonly Tool[] = [
  {
    name: 'wallet_show',
    command: 'wallet show',
    description: 'Amounts are minor units, 100 to a test credit. Accepted orders reserve credits.',
    input: object({}),
    output: object({ wallet: wallet.schema }),
    run: async (_, { platform, signal }) => ({ wallet: wallet.of(await platform.wallet.get({ signal })) }),
  },
  {
    name: 'wallet_history',
    command: 'wallet history',
    description: 'Each posting on your accounts. A reservation posts on two of them, which is not a double charge.',
    input: object(
      {},
      { before: memberOf(readWalletHistory.query, 'before'), limit: memberOf(readWalletHistory.query, 'limit') },
    ),
    output: history.schema,
    run: async (input, { platform, signal }) => {
      const query = { before: input.optionalNumber('before'), limit: input.optionalNumber('limit') ?? 20 };
      return history.of(await platform.wallet.history(query, { signal }));
    },
  },
];
