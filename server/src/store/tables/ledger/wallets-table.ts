import { defineEntity, p } from '@mikro-orm/core';
import { namedChecks } from '../definitions.ts';

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
  checks: namedChecks({
    wallets_available_covered: 'available_minor >= 0',
    wallets_reserved_covered: 'reserved_minor >= 0',
    wallets_total_safe: 'available_minor + reserved_minor <= 9007199254740991',
  }),
});
