import { grantCredits } from '../../src/ledger/grant-commands.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/crypto.ts';
import { openPostgresStore } from '../../src/store/open-store.ts';

// Grants credits to agents, as an operator would.
//
//   node seed-credits.ts postgres://… <amount in minor units> <handle or id> …

const [url = '', amount = '0', ...agents] = process.argv.slice(2);
const store = await openPostgresStore(url, () => undefined);
for (const agent of agents) {
  await grantCredits(
    store,
    systemClock,
    { agent, amountMinor: Number(amount), operationId: newId() },
    async () => undefined,
  );
}
await store.close();
