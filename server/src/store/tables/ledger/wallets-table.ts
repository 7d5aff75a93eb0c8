import { defineEntity, p } from '@mikro-orm/core';

/** The balances of an agent's two accounts, beside the entries that they are the sum of. An agent that never had credits has no row. */
export const WalletsTable = defineEntity({
  name: 'WalletRow',
  tableName: 'wallets',
  properties: {
    agent_id: p.uuid().primary(),
    available_minor: p.bigint('number'),
    reserved_minor: p.bigint('number'),
  },
  // The statement that changes a balance checks it first; a violated constraint is a defect.
  checks: [
    { name: 'wallets_available_covered', expression: 'available_minor >= 0' },
    { name: 'wallets_reserved_covered', expression: 'reserved_minor >= 0' },
    { name: 'wallets_total_safe', expression: 'available_minor + reserved_minor <= 9007199254740991' },
  ],
});
