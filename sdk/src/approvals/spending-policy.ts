import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatValidationDetail, InvalidRequestError, makeValueValidator } from '@agent-platform/contract/validation';
import { formatCredits } from '../credits.ts';
import type { JsonSchema } from '../tools/schemas/json-schema.ts';
import { ToolFailure } from '../tools/tool-failure.ts';

/** How much the programs of an agent may spend. An absent member means no limit. Amounts are totals in minor units. */
export interface SpendingPolicy {
  /** For one order. */
  readonly per_order_minor?: number;
  /** For all orders of the last 24 hours. */
  readonly per_day_minor?: number;
  /** For all orders of the last 24 hours with the same agent. */
  readonly per_counterparty_minor?: number;
  /** The hours in which orders may be placed, in the local time of this machine: `08:00-20:00`. */
  readonly hours?: string;
}

/** An order that would commit credits. */
export interface PlannedSpending {
  readonly totalMinor: number;
  /** The total of all other orders of the last 24 hours; the next member counts only those with the same agent. */
  readonly spentMinor: number;
  readonly spentWithCounterpartyMinor: number;
  readonly at: Date;
}

const amount = { type: 'integer', minimum: 0, maximum: 1_000_000_000_000 };
const time = '([01]\\d|2[0-3]):[0-5]\\d';
const schema: JsonSchema = {
  type: 'object',
  properties: {
    per_order_minor: amount,
    per_day_minor: amount,
    per_counterparty_minor: amount,
    hours: { type: 'string', pattern: `^${time}-${time}$`, 'x-form': 'two times such as "08:00-20:00"' },
  },
  additionalProperties: false,
};
const checkPolicy = makeValueValidator(schema);
const hint =
  'Correct or remove the file. Its members: per_order_minor, per_day_minor, per_counterparty_minor (minor units), hours ("08:00-20:00").';

/**
 * Reads `spending-policy.json` in the folder of an agent's state; undefined if there is none.
 *
 * @throws ToolFailure `spending_policy_invalid`: nothing can be spent until the file is corrected
 */
export function readSpendingPolicy(stateFolder: string): SpendingPolicy | undefined {
  const file = join(stateFolder, 'spending-policy.json');
  try {
    return checkPolicy(JSON.parse(readFileSync(file, 'utf8'))) as SpendingPolicy;
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return undefined;
    throw new ToolFailure('spending_policy_invalid', `${file} is not a spending policy: ${faultOf(error)}`, hint);
  }
}

function faultOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'it is not JSON.';
  if (!(error instanceof InvalidRequestError)) return 'it cannot be read.';
  return `${(error.details ?? []).map((detail) => formatValidationDetail(detail, 'It')).join('; ')}.`;
}

/** The first limit of the policy that an order exceeds, as a sentence; undefined if there is none. */
export function findExceededLimit(policy: SpendingPolicy, spending: PlannedSpending): string | undefined {
  const { totalMinor, spentMinor, spentWithCounterpartyMinor, at } = spending;
  const { hours } = policy;
  if (hours !== undefined && !isWithin(hours, at)) {
    return `The spending policy permits orders only in the hours ${hours}.`;
  }
  const limits: readonly (readonly [number | undefined, number, string])[] = [
    [policy.per_order_minor, 0, 'for one order'],
    [policy.per_day_minor, spentMinor, 'in 24 hours'],
    [policy.per_counterparty_minor, spentWithCounterpartyMinor, 'in 24 hours with one agent'],
  ];
  const exceeded = limits.find(([limit, spent]) => limit !== undefined && spent + totalMinor > limit);
  if (exceeded === undefined) return undefined;
  const [limit = 0, spent, scope] = exceeded;
  const before = spent === 0 ? '' : `, of which ${formatCredits(spent)} are spent`;
  return `The order costs ${formatCredits(totalMinor)} credits; the spending policy permits ${formatCredits(limit)} ${scope}${before}.`;
}

/** Whether a time is within the hours, which may span midnight; the end is excluded. */
function isWithin(hours: string, at: Date): boolean {
  const [from = '', to = ''] = hours.split('-');
  const now = [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
  return from <= to ? from <= now && now < to : from <= now || now < to;
}
