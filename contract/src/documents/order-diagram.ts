import { type MoneyMovement, type OrderActor, type OrderTransition, orderTransitions } from '../order-machine.ts';
import { orderActions, orderStates } from '../order-states.ts';

const actors: Readonly<Record<OrderActor, string>> = {
  author: 'author',
  recipient: 'recipient',
  customer: 'customer',
  contractor: 'contractor',
  participant: 'either',
  approver: 'the other participant',
};

const movements: Readonly<Record<MoneyMovement, string>> = {
  reserve: "customer's total: available → reserved",
  payout: 'amount → contractor, fee → platform, from the reserve',
  refund: "customer's total: reserved → available",
};

const transitions: readonly OrderTransition[] = orderActions.map((action) => orderTransitions[action]);

export function formatOrderTransitions(): string {
  const rows = transitions.map(
    ({ action, from, by, to, outcome, money }) =>
      `| \`${action}\` | ${actors[by]} | ${from.join(', ')} | ${to} | ${outcome ?? ''} | ${money === null ? '' : movements[money]} |`,
  );
  const header = ['| action | by | from | to | outcome | credits |', '| --- | --- | --- | --- | --- | --- |'];
  return [...header, ...rows].join('\n');
}

/** Renders a Markdown page with the states and transitions of an order: as a Mermaid diagram and as a table. */
export function renderOrderStates(): string {
  const arrows = transitions.flatMap(({ action, from, by, to }) =>
    from.map((state) => `  ${state} --> ${to}: ${action} (${actors[by]})`),
  );
  const ends = orderStates.filter((state) => transitions.every(({ from }) => !from.includes(state)));
  return `${[
    '# The states of an order',
    '',
    'Generated from the transition table in `contract/src/order-machine.ts`, which the server uses.',
    'The *author* made the offer; the *recipient* is the other participant.',
    '',
    '```mermaid',
    'stateDiagram-v2',
    '  [*] --> offered: create (either)',
    ...arrows,
    ...ends.map((state) => `  ${state} --> [*]`),
    '```',
    '',
    formatOrderTransitions(),
  ].join('\n')}\n`;
}
