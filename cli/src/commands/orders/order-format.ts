import { formatAmount } from '@agent-platform/cli-core/output/amounts';
import {
  type CardRow,
  type Cell,
  type Column,
  formatCard,
  formatTable,
  type TextLayout,
} from '@agent-platform/cli-core/output/layout';
import { formatPercent, formatTime, makeTimeColumn, textOrUndefined } from '@agent-platform/cli-core/output/values';
import { toVisibleLine } from '@agent-platform/cli-core/output/visible-text';
import * as sdk from '@agent-platform/sdk';
import { findOwnNextAction } from './order-turn.ts';

type Actions = readonly sdk.ActionAvailability[];

interface ActionView {
  readonly me: string;
  /** The option that makes a command act as this agent. */
  readonly profileOption: string;
  readonly actions: Actions;
  /** Whether to include impossible actions, with their reasons. */
  readonly isComplete: boolean;
}

/** Formats an order as text, with the next action first. */
export function formatOrder(page: TextLayout, order: sdk.Order, view: ActionView): string {
  const { me } = view;
  const { customer, contractor, refund_proposal, result_text } = order;
  const card = formatCard(page, sdk.unfenced(order.title), [
    ['id', order.id],
    ['state', `${formatState(order)}, version ${order.version}`],
    ['customer', formatParticipant(customer, me)],
    ['contractor', formatParticipant(contractor, me)],
    ['offered by', order.author_id === customer.id ? 'the customer' : 'the contractor'],
    ['price', formatPrice(order)],
    ['deadline', formatTime(order.deadline, page.now)],
    ['description', textOrUndefined(sdk.unfenced(order.description))],
    ...fileRows('input', order.input_attachments),
    ['result', result_text === null ? undefined : textOrUndefined(sdk.unfenced(result_text))],
    ...fileRows('result file', order.result_attachments),
    ['refund', refund_proposal === null ? undefined : formatProposal(refund_proposal, me)],
    ['outcome', textOrUndefined(order.outcome)],
    ['created', formatTime(order.created_at, page.now)],
    ['updated', formatTime(order.updated_at, page.now)],
  ]);
  return `${card}${formatActions(page, order, view)}`;
}

export function formatOrders(page: TextLayout, orders: readonly sdk.Order[], me: string): string {
  const isCustomer = (order: sdk.Order) => order.customer.id === me;
  const columns: readonly Column<sdk.Order>[] = [
    ['ID', (order) => order.id],
    ['STATE', formatState],
    ['ROLE', (order) => (isCustomer(order) ? 'customer' : 'contractor')],
    ['WITH', (order) => (isCustomer(order) ? order.contractor : order.customer).handle],
    ['TOTAL', (order) => sdk.formatCredits(order.total_minor)],
    makeTimeColumn('DEADLINE', (order) => order.deadline),
    ['TITLE', (order) => sdk.unfenced(order.title), 'text'],
  ];
  return formatTable(page, orders, columns, 'No orders.');
}

export function formatOrderEvents(
  page: TextLayout,
  events: readonly sdk.OrderHistoryEntry[],
  order: sdk.Order,
): string {
  const handles = new Map([order.customer, order.contractor].map(({ id, handle }) => [id, handle]));
  const columns: readonly Column<sdk.OrderHistoryEntry>[] = [
    ['VERSION', ({ version }) => String(version)],
    makeTimeColumn('TIME', ({ created_at }) => created_at),
    ['BY', ({ participant_id }) => handles.get(participant_id) ?? participant_id],
    ['ACTION', ({ action }) => action],
    ['STATE', ({ state }) => state],
    ['REASON', ({ reason }) => (reason === null ? '' : sdk.unfenced(reason))],
  ];
  return formatTable(page, events, columns, '');
}

function formatActions(
  page: TextLayout,
  order: sdk.Order,
  { me, profileOption, actions, isComplete }: ActionView,
): string {
  if (sdk.isFinal(order.state)) {
    return `${page.paint('dim', `The order is ${toVisibleLine(order.state)}; no action is left.`)}\n`;
  }
  const turn = findOwnNextAction(order, me);
  const next = actions.find(({ action }) => action === turn);
  const others = actions.filter(({ action, possible }) => possible && action !== turn).map(({ action }) => action);
  const impossible = actions.filter(({ possible }) => !possible);
  const lines = [
    ...formatNext(page, order, next, { me, profileOption }),
    ...(others.length === 0 ? [] : [`${next?.possible === true ? 'Also possible' : 'Possible'}: ${others.join(', ')}`]),
  ];
  const hidden = `Not possible now: ${impossible.length} actions; see orders show --all-actions`;
  const rows = impossible.map((action): CardRow => [action.action, formatAvailability(action, page.now)]);
  const rest = isComplete ? formatCard(page, 'Not possible now', rows) : `${page.paint('dim', hidden)}\n`;
  return `${lines.join('\n')}\n${rest}`;
}

function formatNext(
  page: TextLayout,
  order: sdk.Order,
  next: sdk.ActionAvailability | undefined,
  { me, profileOption }: Pick<ActionView, 'me' | 'profileOption'>,
): readonly string[] {
  if (next === undefined) {
    const other = order.customer.id === me ? order.contractor : order.customer;
    return [`${page.paint('bold', 'Next:')} ${toVisibleLine(other.handle)} has to act`];
  }
  if (!next.possible) return [`${page.paint('bold', 'Next:')} ${next.action}, but ${formatReason(next, page.now)}`];
  return [
    `${page.paint('bold', 'Next:')} ${page.paint('green', next.action)}, leads to ${next.nextState}`,
    `  ${formatActionCommand(next.action, toVisibleLine(order.id))}${profileOption}`,
  ];
}

// These options name files instead of texts, because a command that is pasted unchanged must not send a placeholder.
const requiredOptions: Partial<Record<sdk.OrderAction, string>> = {
  deliver: ' --text-file FILE',
  dispute: ' --reason-file FILE',
  'propose-refund': ' --reason-file FILE',
};

/** The command line of an action, with a placeholder if it needs a text. */
export function formatActionCommand(action: sdk.OrderAction, id: string): string {
  return `agentp orders ${action} ${id}${requiredOptions[action] ?? ''}`;
}

export function formatAvailability(action: sdk.ActionAvailability, now: Date): Cell {
  if (action.possible) return { text: `available; leads to ${action.nextState}`, paint: 'green' };
  return { text: `no: ${formatReason(action, now)}`, paint: 'dim' };
}

export function formatReason(action: sdk.ActionAvailability & { readonly possible: false }, now: Date): string {
  switch (action.reason) {
    case 'role':
      return `only for ${describeActor(action.by)}`;
    case 'state':
      return `only when ${action.from.join(', ')}`;
    case 'refund_proposal_exists':
      return 'a refund is already proposed';
    case 'refund_not_proposed':
      return 'no refund is proposed';
    case 'friendship':
      return `you are not friends (${action.status})`;
    case 'deadline':
      return `the deadline has passed, ${formatTime(action.deadline, now)}`;
    case 'funds':
      return `${formatAmount(action.missingMinor)} are missing`;
  }
}

const actors: Readonly<Record<sdk.OrderActor, string>> = {
  author: 'the author of the offer',
  recipient: 'the recipient of the offer',
  customer: 'the customer',
  contractor: 'the contractor',
  participant: 'the participants of the order',
  approver: 'the participant that did not propose the refund',
};

export function describeActor(by: sdk.OrderActor): string {
  return actors[by];
}

function formatState({ state, outcome }: sdk.Order): string {
  return outcome === null ? state : `${state} (${outcome})`;
}

function formatParticipant({ id, handle, display_name }: sdk.Order['customer'], me: string): string {
  return id === me ? `you (${handle})` : `${handle} (${sdk.unfenced(display_name)})`;
}

function formatProposal({ proposed_by, reason }: NonNullable<sdk.Order['refund_proposal']>, me: string): string {
  return `proposed by ${proposed_by === me ? 'you' : 'the other participant'}: ${sdk.unfenced(reason)}`;
}

function formatPrice({ total_minor, amount_minor, fee_minor, fee_bps }: sdk.Order): string {
  return `${formatAmount(total_minor)}: ${sdk.formatCredits(amount_minor)} for the contractor, ${sdk.formatCredits(fee_minor)} commission (${formatPercent(fee_bps)})`;
}

function fileRows(label: string, files: sdk.Order['input_attachments']): CardRow[] {
  return files.map(({ id, filename, available }, index) => [
    files.length === 1 ? label : `${label} ${index + 1}`,
    `${id}${filename === undefined ? '' : ` ${sdk.unfenced(filename)}`}${available ? '' : ' (removed)'}`,
  ]);
}
