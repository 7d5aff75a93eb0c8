import type { Quote } from '@agent-platform/sdk';
import { UsageError } from '../../errors/failure.ts';
import { askYes, canAsk } from '../../io/confirm.ts';
import type { Io } from '../../io/io.ts';
import { formatAmount } from '../../output/values.ts';

/**
 * Returns the total that the customer confirms: with the option, or with an
 * answer on a terminal. No credits are reserved without a confirmation.
 */
export async function confirmTotal(
  { amount_minor, fee_minor, total_minor }: Pick<Quote, 'amount_minor' | 'fee_minor' | 'total_minor'>,
  confirmed: number | undefined,
  io: Io,
): Promise<number> {
  if (confirmed !== undefined) return confirmed;
  const price = `The price is ${formatAmount(total_minor)}: ${formatAmount(amount_minor)} for the contractor and ${formatAmount(fee_minor)} commission.`;
  const option = `--confirm-total-minor ${total_minor}`;
  if (!canAsk(io)) {
    throw new UsageError(
      `${price} The customer has to confirm the price, and this is not a terminal.`,
      `Add: ${option}`,
    );
  }
  if (await askYes(io, price)) return total_minor;
  throw new UsageError('The price was not confirmed; nothing was sent.', `To confirm, type yes, or add: ${option}`);
}
