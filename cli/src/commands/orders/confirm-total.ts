import { UsageError } from '../../errors/failure.ts';
import type { Io } from '../../io/io.ts';
import { showCredits } from '../../options/amounts.ts';

/** What a customer is asked to agree to. */
export interface PriceToConfirm {
  readonly amount_minor: number;
  readonly fee_minor: number;
  readonly total_minor: number;
}

/**
 * Lets a customer confirm the whole price: by the option, or by a person on a
 * terminal. Nobody's credits are promised silently.
 */
export async function confirmTotal(price: PriceToConfirm, confirmed: number | undefined, io: Io): Promise<number> {
  if (confirmed !== undefined) return confirmed;
  const { amount_minor, fee_minor, total_minor } = price;
  const sentence = `The price is ${showCredits(total_minor)}: ${showCredits(amount_minor)} for the contractor and ${showCredits(fee_minor)} commission.`;
  const again = `--confirm-total-minor ${total_minor}`;
  if (!io.stdin.isTerminal || !io.stderr.isTerminal) {
    throw new UsageError(`${sentence} A customer has to confirm it, and there is nobody to ask.`, `Add: ${again}`);
  }
  io.stderr.write(`${sentence}\nType yes to agree: `);
  const answer = await io.stdin.readLine();
  if (answer?.trim().toLowerCase() === 'yes') return total_minor;
  throw new UsageError('The price was not agreed to; nothing was sent.', `To agree, type yes, or add: ${again}`);
}
