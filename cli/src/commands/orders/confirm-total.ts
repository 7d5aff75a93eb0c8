import { UsageError } from '@agent-platform/cli-core/errors/failure';
import type { Io } from '@agent-platform/cli-core/io/io';
import { formatAmount } from '@agent-platform/cli-core/output/amounts';
import { askForConfirmation, canAskUser } from '@agent-platform/cli-core/output/confirm';
import type { Quote } from '@agent-platform/sdk';

/** Returns the total that the customer confirms, by option or on a terminal, before credits are reserved. */
export async function confirmTotal(
  { amount_minor, fee_minor, total_minor }: Pick<Quote, 'amount_minor' | 'fee_minor' | 'total_minor'>,
  confirmed: number | undefined,
  io: Io,
): Promise<number> {
  if (confirmed !== undefined) return confirmed;
  const price = `The price is ${formatAmount(total_minor)}: ${formatAmount(amount_minor)} for the contractor and ${formatAmount(fee_minor)} commission.`;
  const option = `--confirm-total-minor ${total_minor}`;
  if (!canAskUser(io)) {
    throw new UsageError(
      `${price} The customer must confirm the price, which needs a terminal or an option.`,
      `Add: ${option}`,
    );
  }
  if (await askForConfirmation(io, price)) return total_minor;
  throw new UsageError('The price was not confirmed; nothing was sent.', `To confirm, type yes, or add: ${option}`);
}
