import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const creditsSeeder = fileURLToPath(import.meta.resolve('../../server/testing/load/seed-credits.ts'));
const tradeSeeder = fileURLToPath(import.meta.resolve('../../server/testing/load/seed-trade.ts'));
const seedTimeoutMs = 600_000;

/** Grants credits to agents, as an operator would. */
export async function grantCredits(databaseUrl: string, amountMinor: number, ids: readonly string[]): Promise<void> {
  await run(process.execPath, [creditsSeeder, databaseUrl, String(amountMinor), ...ids], { timeout: seedTimeoutMs });
}

/** Gives a customer a past of so many orders, with an entry in its history for each. */
export async function seedTrade(
  databaseUrl: string,
  customerId: string,
  contractorId: string,
  orders: number,
): Promise<void> {
  const args = [tradeSeeder, databaseUrl, customerId, contractorId, String(orders)];
  await run(process.execPath, args, { timeout: seedTimeoutMs });
}
