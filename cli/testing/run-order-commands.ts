import type { Json } from './agentp.ts';

type Run = (...words: string[]) => Promise<Json>;

/** The profiles of two friends; the customer has credits. */
interface Sides {
  readonly customer: string;
  readonly contractor: string;
  readonly contractorId: string;
  readonly picture: string;
}

/** Runs every command for wallets and orders, so that tests can check the data of each. */
export async function runOrderCommands(
  run: Run,
  { customer, contractor, contractorId, picture }: Sides,
): Promise<void> {
  const asCustomer = ['--profile', customer];
  const asContractor = ['--profile', contractor];
  await run('wallet', 'show', ...asCustomer);
  await run('wallet', 'history', ...asCustomer);
  await run('orders', 'quote', '--amount', '1', ...asCustomer);
  const price = ['--amount', '1', '--confirm-total', '1.10'];
  const offer = ['orders', 'create', '--contractor', contractorId, '--title', 'x', '--deadline', '1h', ...price];
  await run(...offer, '--dry-run', ...asCustomer);
  const create = async () => String((await run(...offer, '--attach', picture, ...asCustomer))['id']);
  await run('orders', 'cancel', await create(), ...asCustomer);
  await run('orders', 'reject', await create(), ...asContractor);
  const paid = await create();
  await run('orders', 'accept', paid, '--dry-run', ...asContractor);
  await run('orders', 'accept', paid, ...asContractor);
  await run('orders', 'start', paid, ...asContractor);
  await run('orders', 'deliver', paid, 'text', '--attach', picture, ...asContractor);
  await run('orders', 'complete', paid, '--yes', ...asCustomer);
  const refunded = await create();
  await run('orders', 'accept', refunded, ...asContractor);
  await run('orders', 'dispute', refunded, '--reason', 'x', ...asCustomer);
  await run('orders', 'propose-refund', refunded, '--reason', 'x', ...asContractor);
  await run('orders', 'approve-refund', refunded, '--yes', ...asCustomer);
  await run('orders', 'show', refunded, ...asCustomer);
  await run('orders', 'list', ...asCustomer);
  await run('orders', 'watch', refunded, ...asCustomer);
  await run('orders', 'resume', ...asCustomer);
}
