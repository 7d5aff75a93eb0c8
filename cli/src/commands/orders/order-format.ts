import {
  type ActionAvailability,
  formatCredits,
  isFinal,
  type Order,
  type OrderActor,
  type OrderHistoryEntry,
  unfenced,
} from '@agent-platform/sdk';
import { showCredits } from '../../options/amounts.ts';
import { type Cell, layOutCard } from '../../output/card.ts';
import type { Page } from '../../output/page.ts';
import { layOutTable } from '../../output/table.ts';
import { showTime } from '../../output/values.ts';
import { showPercent } from '../wallet/wallet-format.ts';

/** An order for people, with what can be done next and why the rest cannot. */
export function layOutOrder(order: Order, me: string, next: readonly ActionAvailability[], page: Page): string {
  const { customer, contractor, refund_proposal, outcome } = order;
  const card = layOutCard(
    {
      heading: unfenced(order.title),
      rows: [
        ['id', order.id],
        ['state', `${showState(order)}, version ${order.version}`],
        ['customer', showParticipant(customer, me)],
        ['contractor', showParticipant(contractor, me)],
        ['offered by', order.author_id === customer.id ? 'the customer' : 'the contractor'],
        ['price', showPrice(order)],
        ['deadline', showTime(order.deadline)],
        ...optional('description', unfenced(order.description)),
        ...showFiles('input', order.input_attachments),
        ...optional('result', order.result_text === null ? '' : unfenced(order.result_text)),
        ...showFiles('result file', order.result_attachments),
        ...(refund_proposal === null ? [] : [['refund', showProposal(refund_proposal, me)] as const]),
        ...optional('outcome', outcome ?? ''),
        ['created', showTime(order.created_at)],
        ['updated', showTime(order.updated_at)],
      ],
    },
    page,
  );
  return `${card}${layOutNextActions(order, next, page)}`;
}

/** Orders as a table. */
export function layOutOrders(orders: readonly Order[], me: string, page: Page): string {
  return layOutTable(
    {
      columns: ['ID', 'STATE', 'ROLE', 'WITH', 'TOTAL', 'DEADLINE', 'TITLE'],
      rows: orders.map((order) => {
        const isCustomer = order.customer.id === me;
        return [
          order.id,
          showState(order),
          isCustomer ? 'customer' : 'contractor',
          (isCustomer ? order.contractor : order.customer).handle,
          formatCredits(order.total_minor),
          showTime(order.deadline).slice(0, 10),
          unfenced(order.title),
        ];
      }),
      whole: [0, 4],
      empty: 'There are no orders.',
    },
    page,
  );
}

/** What happened to an order, as a table. */
export function layOutHistory(events: readonly OrderHistoryEntry[], order: Order, page: Page): string {
  const handles = new Map([order.customer, order.contractor].map(({ id, handle }) => [id, handle]));
  return layOutTable(
    {
      columns: ['VERSION', 'TIME', 'BY', 'ACTION', 'STATE', 'REASON'],
      rows: events.map(({ version, created_at, participant_id, action, state, reason }) => [
        String(version),
        showTime(created_at),
        handles.get(participant_id) ?? participant_id,
        action,
        state,
        reason === null ? '' : unfenced(reason),
      ]),
      empty: '',
    },
    page,
  );
}

/** The nine actions, each with where it leads or why it does not; of an order that has ended there is nothing to tell. */
export function layOutNextActions(
  order: Pick<Order, 'state'>,
  next: readonly ActionAvailability[],
  page: Page,
): string {
  if (isFinal(order.state)) return page.paint('dim', `The order is ${order.state}; nothing is left to be done.\n`);
  return layOutCard({ heading: 'Next', rows: next.map((action) => [action.action, showNext(action)]) }, page);
}

/** An action for people: where it leads, or the reason why it is not possible. */
export function showNext(next: ActionAvailability): Cell {
  if (next.possible) return { text: `possible; then ${next.nextState}`, paint: 'green' };
  return { text: showObstacle(next), paint: 'dim' };
}

function showObstacle(next: ActionAvailability & { readonly possible: false }): string {
  switch (next.reason) {
    case 'role':
      return `no: for ${actors[next.by]}`;
    case 'state':
      return `no: only when ${next.from.join(', ')}`;
    case 'refund_proposal_exists':
      return 'no: a refund is proposed already';
    case 'refund_not_proposed':
      return 'no: no refund is proposed';
    case 'friendship':
      return `no: you are no friends (${next.status})`;
    case 'deadline':
      return `no: the deadline has passed, ${showTime(next.deadline)}`;
    case 'funds':
      return `no: ${showCredits(next.missingMinor)} are missing`;
  }
}

const actors: Readonly<Record<OrderActor, string>> = {
  author: 'who made the offer',
  recipient: 'who received the offer',
  customer: 'the customer',
  contractor: 'the contractor',
  participant: 'the two of the order',
  approver: 'who did not propose the refund',
};

function showState({ state, outcome }: Order): string {
  return outcome === null ? state : `${state} (${outcome})`;
}

function showParticipant({ id, handle, display_name }: Order['customer'], me: string): string {
  return id === me ? `you (${handle})` : `${handle} (${unfenced(display_name)})`;
}

function showProposal({ proposed_by, reason }: NonNullable<Order['refund_proposal']>, me: string): string {
  return `proposed by ${proposed_by === me ? 'you' : 'the other side'}: ${unfenced(reason)}`;
}

function showPrice({ total_minor, amount_minor, fee_minor, fee_bps }: Order): string {
  return `${showCredits(total_minor)}: ${formatCredits(amount_minor)} for the contractor, ${formatCredits(fee_minor)} commission (${showPercent(fee_bps)})`;
}

function optional(label: string, text: string): (readonly [string, Cell])[] {
  return text === '' ? [] : [[label, text]];
}

function showFiles(label: string, files: Order['input_attachments']): (readonly [string, Cell])[] {
  return files.map(({ id, filename, available }, index) => [
    files.length === 1 ? label : `${label} ${index + 1}`,
    `${id}${filename === undefined ? '' : ` ${unfenced(filename)}`}${available ? '' : ' (removed)'}`,
  ]);
}
