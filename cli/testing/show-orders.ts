import { join } from 'node:path';
import type { Json } from './agentp.ts';

/** Runs a command as the agent of a profile. */
type Run = (...words: string[]) => Promise<Json>;

/** Shows everything that verbs of wallets and orders have to show: Alice pays, Bob works. */
export async function showOrders(run: Run, friends: { readonly bobId: string; readonly home: string }): Promise<void> {
  const [asAlice, asBob] = [
    ['--profile', 'alice'],
    ['--profile', 'bob_1'],
  ];
  const picture = join(friends.home, 'dot.png');
  await run('wallet', 'show');
  await run('wallet', 'history');
  await run('orders', 'quote', '--amount', '1');
  const price = ['--amount', '1', '--confirm-total', '1.10'];
  const offer = ['orders', 'create', '--contractor', friends.bobId, '--title', 'x', '--deadline', '1h', ...price];
  await run(...offer, '--dry-run', ...asAlice);
  const create = async () => String((await run(...offer, '--attach', picture, ...asAlice))['id']);
  await run('orders', 'cancel', await create(), ...asAlice);
  await run('orders', 'reject', await create(), ...asBob);
  const paid = await create();
  await run('orders', 'accept', paid, '--dry-run', ...asBob);
  await run('orders', 'accept', paid, ...asBob);
  await run('orders', 'start', paid, ...asBob);
  await run('orders', 'deliver', paid, 'text', '--attach', picture, ...asBob);
  await run('orders', 'complete', paid, ...asAlice);
  const refunded = await create();
  await run('orders', 'accept', refunded, ...asBob);
  await run('orders', 'dispute', refunded, '--reason', 'x', ...asAlice);
  await run('orders', 'propose-refund', refunded, '--reason', 'x', ...asBob);
  await run('orders', 'approve-refund', refunded, ...asAlice);
  await run('orders', 'show', refunded, ...asAlice);
  await run('orders', 'list', ...asAlice);
  await run('orders', 'watch', refunded, ...asAlice);
  await run('orders', 'resume', ...asAlice);
}
