import { limits, readWalletHistory, Wallet } from '@agent-platform/contract';
import { memberSchema, objectSchema, withDescription } from './schemas/json-schema.ts';
import { makeRecordView } from './schemas/record-view.ts';
import type { Tool } from './tool.ts';

const wallet = makeRecordView(Wallet);
const history = makeRecordView(readWalletHistory.replies[200]);

export const walletTools: readonly Tool[] = [
  {
    name: 'wallet_show',
    command: 'wallet show',
    effect: 'read',
    repeat: 'safe',
    description:
      'Shows your credits in minor units, 100 to a test credit: available ones can be spent, reserved ones belong to accepted orders. Check before you order.',
    input: objectSchema({}),
    output: objectSchema({ wallet: wallet.schema }),
    run: async (_, { me, platform, signal }) => ({ wallet: wallet.of(await platform.wallet.get({ signal }), me.id) }),
  },
  {
    name: 'wallet_history',
    command: 'wallet history',
    effect: 'read',
    repeat: 'safe',
    description:
      'Lists the postings on your accounts, newest first, to explain a balance. A reservation posts on two accounts; this is not a double charge.',
    input: objectSchema(
      {},
      {
        before: withDescription(
          memberSchema(readWalletHistory.query, 'before'),
          'Number to continue before: next_before.',
        ),
        limit: { type: 'integer', minimum: 1, maximum: limits.walletHistoryMax, description: 'Entries, default 20.' },
      },
    ),
    output: history.schema,
    run: async (input, { me, platform, signal }) => {
      const query = { before: input.optionalNumber('before'), limit: input.optionalNumber('limit') ?? 20 };
      return history.of(await platform.wallet.history(query, { signal }), me.id);
    },
  },
];
