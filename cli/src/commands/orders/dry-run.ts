import { stat } from 'node:fs/promises';
import { messageOf } from '@agent-platform/cli-core/errors/failure';
import type { FileSelection } from '@agent-platform/cli-core/options/option-groups';
import { formatAmount } from '@agent-platform/cli-core/output/amounts';
import { findContact } from '@agent-platform/cli-core/session/find-agent';
import type { OpenedAgent } from '@agent-platform/cli-core/session/session';
import * as sdk from '@agent-platform/sdk';
import { formatReason } from './order-format.ts';

/** A reason why the server would refuse an operation, with the error code. */
export interface OperationProblem {
  readonly code: string;
  readonly message: string;
}

export async function findFileProblems(
  { platform, signal }: OpenedAgent,
  { paths, ids }: FileSelection,
): Promise<readonly OperationProblem[]> {
  const ofPaths = paths.map(async (path): Promise<OperationProblem | undefined> => {
    const isFile = await stat(path).then(
      (found) => found.isFile(),
      (error: unknown) => messageOf(error),
    );
    return isFile === true ? undefined : { code: 'file_error', message: `"${path}" is not a file that can be read.` };
  });
  const ofIds = ids.map(async (id): Promise<OperationProblem | undefined> => {
    const file = await platform.attachments.get(id, { signal }).catch(unlessMissing);
    const isUsable = file?.purpose === 'order' && file.available;
    return isUsable
      ? undefined
      : { code: 'invalid_attachment', message: `The file ${id} is not available for an order.` };
  });
  return (await Promise.all([...ofPaths, ...ofIds])).filter((problem) => problem !== undefined);
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof sdk.ApiError && (error.status === 404 || error.code === 'invalid_id')) return undefined;
  throw error;
}

export async function findOfferProblems(
  { platform, signal, me, io }: OpenedAgent,
  offer: sdk.Offer,
  quote: sdk.Quote,
): Promise<readonly OperationProblem[]> {
  const otherId = 'contractor_id' in offer ? offer.contractor_id : offer.customer_id;
  if (otherId === me) return [{ code: 'invalid_input', message: 'The other participant is this agent.' }];
  const status = (await findContact(platform, otherId ?? '', { signal }))?.status ?? 'none';
  const confirmed = 'confirmed_total_minor' in offer ? offer.confirmed_total_minor : undefined;
  const isPast = Date.parse(offer.deadline) <= io.now().getTime();
  return [
    ...(status === 'friends' ? [] : [{ code: 'friendship_required', message: `You are not friends (${status}).` }]),
    ...(isPast ? [{ code: 'invalid_input', message: 'The deadline has passed.' }] : []),
    ...findPriceProblem(confirmed, quote.total_minor),
  ];
}

/** Reported to a contractor, who cannot read the customer's wallet. */
export const unknownFundsProblem: OperationProblem = {
  code: 'funds_unknown',
  message: "The customer's balance is unknown here; the offer can be accepted only if the balance covers the total.",
};

/** Finds problems that may prevent the acceptance of an offer; the offer itself moves no credits. */
export async function findOfferWarnings(
  { platform, signal }: OpenedAgent,
  offer: sdk.Offer,
  { total_minor }: sdk.Quote,
): Promise<readonly OperationProblem[]> {
  if ('customer_id' in offer) return [unknownFundsProblem];
  const { available_minor } = await platform.wallet.get({ signal });
  if (available_minor >= total_minor) return [];
  const message = `Your wallet has only ${formatAmount(available_minor)}: the order can be offered but not accepted.`;
  return [{ code: 'insufficient_funds', message }];
}

export function findPriceProblem(confirmedMinor: number | undefined, totalMinor: number): readonly OperationProblem[] {
  if (confirmedMinor === undefined || confirmedMinor === totalMinor) return [];
  const [confirmed, total] = [confirmedMinor, totalMinor].map(sdk.formatCredits);
  return [{ code: 'price_changed', message: `The price is ${total} credits; ${confirmed} were confirmed.` }];
}

const codes: Readonly<Record<sdk.ActionObstacle['reason'], string>> = {
  role: 'forbidden',
  state: 'state_conflict',
  refund_proposal_exists: 'refund_proposal_exists',
  refund_not_proposed: 'refund_not_proposed',
  friendship: 'friendship_required',
  deadline: 'deadline_passed',
  funds: 'insufficient_funds',
};

export function findActionProblems(
  action: sdk.ActionAvailability,
  order: sdk.Order,
  version: number,
  now: Date,
): readonly OperationProblem[] {
  const message = `the order is at version ${order.version}, not ${version}`;
  return [
    ...(version === order.version ? [] : [{ code: 'version_conflict', message }]),
    ...(action.possible
      ? []
      : [{ code: codes[action.reason], message: `${action.action}: ${formatReason(action, now)}` }]),
  ];
}
