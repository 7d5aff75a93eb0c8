import { describe, expect, it } from 'vitest';
import { renderOrderStates } from './documents/order-diagram.ts';
import type { OrderAction, OrderState } from './operations/order.ts';
import {
  allowedActions,
  decideOrderAction,
  isFinal,
  type OrderDecisionFields,
  orderTransitions,
} from './order-machine.ts';
import { orderActions, orderStates } from './order-states.ts';

const standings = ['author customer', 'author contractor', 'recipient customer', 'recipient contractor'] as const;
type Standing = (typeof standings)[number];
const proposals = ['none', 'own', "the other's"] as const;

/** An order with `me` in this position and role. */
function orderOf(standing: Standing, state: OrderState, proposal: (typeof proposals)[number]): OrderDecisionFields {
  const [place, role] = standing.split(' ');
  const proposedBy = { none: null, own: { proposed_by: 'me' }, "the other's": { proposed_by: 'other' } };
  return {
    state,
    version: 7,
    author_id: place === 'author' ? 'me' : 'other',
    customer: { id: role === 'customer' ? 'me' : 'other' },
    contractor: { id: role === 'contractor' ? 'me' : 'other' },
    refund_proposal: proposedBy[proposal],
  };
}

const decide = (order: OrderDecisionFields, action: OrderAction, expectedVersion = 7, actorId = 'me') =>
  decideOrderAction(order, { action, actorId, expectedVersion });

// Written by hand from §6.39 and §6.41: who may act, refusals for others, and the start and end states of each action.
const specified: Readonly<
  Record<
    OrderAction,
    {
      readonly mayAct: (place: string, role: string, proposal: string) => boolean;
      readonly otherwise: string;
      readonly from: readonly string[];
      readonly to: string;
      readonly outcome: string | null;
      readonly money: string | null;
    }
  >
> = {
  accept: {
    mayAct: (place) => place === 'recipient',
    otherwise: 'counterparty_required',
    from: ['offered'],
    to: 'funded',
    outcome: null,
    money: 'reserve',
  },
  cancel: {
    mayAct: (place) => place === 'author',
    otherwise: 'forbidden',
    from: ['offered'],
    to: 'cancelled',
    outcome: null,
    money: null,
  },
  reject: {
    mayAct: (place) => place === 'recipient',
    otherwise: 'counterparty_required',
    from: ['offered'],
    to: 'rejected',
    outcome: null,
    money: null,
  },
  start: {
    mayAct: (_, role) => role === 'contractor',
    otherwise: 'forbidden',
    from: ['funded'],
    to: 'in_progress',
    outcome: null,
    money: null,
  },
  deliver: {
    mayAct: (_, role) => role === 'contractor',
    otherwise: 'forbidden',
    from: ['in_progress'],
    to: 'delivered',
    outcome: null,
    money: null,
  },
  complete: {
    mayAct: (_, role) => role === 'customer',
    otherwise: 'forbidden',
    from: ['delivered'],
    to: 'closed',
    outcome: 'accepted',
    money: 'payout',
  },
  dispute: {
    mayAct: () => true,
    otherwise: '',
    from: ['funded', 'in_progress', 'delivered'],
    to: 'disputed',
    outcome: null,
    money: null,
  },
  'propose-refund': {
    mayAct: () => true,
    otherwise: '',
    from: ['funded', 'in_progress', 'delivered', 'disputed'],
    to: 'disputed',
    outcome: null,
    money: null,
  },
  'approve-refund': {
    mayAct: (_place, _role, proposal) => proposal !== 'own',
    otherwise: 'counterparty_required',
    from: ['disputed'],
    to: 'closed',
    outcome: 'refunded',
    money: 'refund',
  },
};

const cases = standings.flatMap((standing) =>
  orderStates.flatMap((state) =>
    proposals.flatMap((proposal) => orderActions.map((action) => ({ standing, state, proposal, action }))),
  ),
);

function expectedOf({ standing, state, proposal, action }: (typeof cases)[number], isVersionRight: boolean) {
  const [place = '', role = ''] = standing.split(' ');
  const rule = specified[action];
  if (!rule.mayAct(place, role, proposal)) return rule.otherwise;
  if (!isVersionRight) return 'version_conflict';
  if (!rule.from.includes(state)) return 'state_conflict';
  if (action === 'propose-refund' && proposal !== 'none') return 'refund_proposal_exists';
  if (action === 'approve-refund' && proposal === 'none') return 'refund_not_proposed';
  return `${rule.to} ${rule.outcome} ${rule.money}`;
}

function told(decision: ReturnType<typeof decide>): string {
  if (!decision.allowed) return decision.code;
  const { to, outcome, money } = decision.transition;
  return `${to} ${outcome} ${money}`;
}

describe('the order machine', () => {
  it('has 864 cases of actor, state, proposal and action', () => {
    expect(cases).toHaveLength(4 * 8 * 3 * 9);
  });

  it.each(standings)('decides every action in every state as the specification says, for the %s', (standing) => {
    for (const one of cases.filter((known) => known.standing === standing)) {
      const order = orderOf(one.standing, one.state, one.proposal);
      expect(told(decide(order, one.action)), JSON.stringify(one)).toBe(expectedOf(one, true));
    }
  });

  it('reports the wrong actor before the wrong version, and that before the wrong state', () => {
    for (const one of cases) {
      const order = orderOf(one.standing, one.state, one.proposal);
      for (const version of [6, 8]) {
        expect(told(decide(order, one.action, version)), JSON.stringify(one)).toBe(expectedOf(one, false));
      }
    }
  });

  it('permits no action to other agents', () => {
    for (const { standing, state, proposal, action } of cases) {
      const order = orderOf(standing, state, proposal);
      expect(told(decide(order, action, 7, 'stranger'))).toBe('forbidden');
      expect(allowedActions(order, 'stranger')).toEqual([]);
    }
  });

  it('names a transition by its own action', () => {
    for (const action of orderActions) expect(orderTransitions[action].action).toBe(action);
  });

  it.each([
    ['closed', true],
    ['cancelled', true],
    ['rejected', true],
    ['offered', false],
    ['disputed', false],
  ] as const)('reports whether %s is final', (state, expected) => {
    expect(isFinal(state)).toBe(expected);
  });
});

describe('allowedActions', () => {
  it.each([
    ['author customer', 'offered', 'none', ['cancel']],
    ['recipient customer', 'offered', 'none', ['accept', 'reject']],
    ['author contractor', 'funded', 'none', ['start', 'dispute', 'propose-refund']],
    ['author customer', 'funded', 'none', ['dispute', 'propose-refund']],
    ['recipient contractor', 'in_progress', 'none', ['deliver', 'dispute', 'propose-refund']],
    ['author customer', 'delivered', 'none', ['complete', 'dispute', 'propose-refund']],
    ['author contractor', 'disputed', 'none', ['propose-refund']],
    ['author contractor', 'disputed', 'own', []],
    ['author customer', 'disputed', "the other's", ['approve-refund']],
    ['author customer', 'closed', "the other's", []],
  ] as const)(
    'are, for the %s of an order that is %s with a proposal of %s: %j',
    (standing, state, proposal, expected) => {
      expect(allowedActions(orderOf(standing, state, proposal), 'me')).toEqual(expected);
    },
  );
});

describe('the state diagram', () => {
  it('has every transition once', () => {
    const arrows = renderOrderStates().match(/^ {2}\w+ --> \w+: .+$/gm);
    expect(arrows).toHaveLength(14);
    expect(arrows).toContain('  disputed --> closed: approve-refund (the other participant)');
  });

  it('ends in the states without transitions', () => {
    expect(renderOrderStates().match(/\w+ --> \[\*\]/g)).toEqual([
      'closed --> [*]',
      'cancelled --> [*]',
      'rejected --> [*]',
    ]);
  });
});
