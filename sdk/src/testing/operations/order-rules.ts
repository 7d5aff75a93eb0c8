import * as api from '@agent-platform/contract';
import { FakeRefusal } from '../refusal.ts';
import type { FakeDatabase, FakeOrder } from '../world.ts';

interface Terms {
  readonly content: Pick<api.Order, 'title' | 'description' | 'deadline' | keyof api.Quote>;
  readonly customerId: string;
  readonly contractorId: string;
  readonly confirmedTotalMinor: number | undefined;
  readonly inputIds: readonly string[];
}

function invalid(message: string): FakeRefusal {
  return new FakeRefusal('invalid_input', message);
}

/** The commission is rounded half up. */
export function computePrice(amount_minor: number): api.Quote {
  const fee_bps = api.limits.feeBps;
  const fee_minor = Number((BigInt(amount_minor) * BigInt(fee_bps) + 5_000n) / 10_000n);
  const total_minor = amount_minor + fee_minor;
  if (total_minor > api.limits.totalMaxMinor) throw invalid('The total exceeds the limit. Lower amount_minor.');
  return { amount_minor, fee_minor, total_minor, fee_bps };
}

/** Refuses offers that are invalid between any two agents (§6.23, §6.15). */
export function parseOfferTerms(sent: api.NewOrder, creatorId: string): Terms {
  const { contractor_id, customer_id, confirmed_total_minor, title, description = '' } = sent;
  if ((contractor_id === undefined) === (customer_id === undefined)) {
    throw invalid('Send exactly one of contractor_id and customer_id.');
  }
  if (contractor_id !== undefined && confirmed_total_minor === undefined) {
    throw invalid('A customer must send confirmed_total_minor.');
  }
  const deadline = new Date(sent.deadline);
  if (Number.isNaN(deadline.getTime()) || deadline.getUTCFullYear() > 9_999) {
    throw invalid('deadline is outside the range of timestamps.');
  }
  return {
    content: { title, description, deadline: deadline.toISOString(), ...computePrice(sent.amount_minor) },
    customerId: customer_id ?? creatorId,
    contractorId: contractor_id ?? creatorId,
    confirmedTotalMinor: confirmed_total_minor,
    inputIds: sent.input_attachment_ids ?? [],
  };
}

/** The checks run in the sequence of §8.12. */
export function checkOfferRules(world: FakeDatabase, terms: Terms): void {
  const { customerId, contractorId, content, confirmedTotalMinor } = terms;
  if (customerId === contractorId) throw invalid('An order requires two different agents.');
  refuseStrangers(world, customerId, contractorId);
  if (!isAhead(world, content.deadline)) throw invalid('deadline is in the past.');
  refuseOtherPrice(content.total_minor, confirmedTotalMinor);
}

/** The checks run in the sequence of §6.46; the credits are checked later. */
export function checkAcceptanceRules(
  world: FakeDatabase,
  { customer, contractor, deadline, total_minor }: FakeOrder['record'],
  actorId: string,
  confirmedTotalMinor: number | undefined,
): void {
  refuseStrangers(world, customer.id, contractor.id);
  if (!isAhead(world, deadline)) throw new FakeRefusal('deadline_passed', 'The deadline of this offer has passed.');
  if (actorId === customer.id && confirmedTotalMinor === undefined) {
    throw invalid('A customer must send confirmed_total_minor.');
  }
  refuseOtherPrice(total_minor, confirmedTotalMinor);
}

/** A delivery requires a text or a file (§6.48). */
export function refuseEmptyDelivery(body: {
  readonly result_text?: string;
  readonly result_attachment_ids?: readonly string[];
}): void {
  const { result_text = '', result_attachment_ids = [] } = body;
  if (result_text === '' && result_attachment_ids.length === 0) throw invalid('A delivery requires a text or a file.');
}

function refuseStrangers(world: FakeDatabase, oneId: string, otherId: string): void {
  if (!world.areFriends(oneId, otherId)) throw new FakeRefusal('friendship_required', 'Orders require a friendship.');
  if ([oneId, otherId].some((id) => world.agent(id).isSuspended)) {
    throw new FakeRefusal('participant_inactive', 'The other participant is suspended.');
  }
}

function isAhead(world: FakeDatabase, deadline: string): boolean {
  return Date.parse(deadline) > world.now();
}

function refuseOtherPrice(totalMinor: number, confirmedMinor: number | undefined): void {
  if (confirmedMinor === undefined || confirmedMinor === totalMinor) return;
  throw new FakeRefusal('price_changed', `The total is ${totalMinor} minor units, not ${confirmedMinor}.`);
}
