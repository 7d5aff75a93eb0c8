import { parseCatalogueTable } from '../../catalogue-mutants.ts';
import { idIn, type MutableObject, parseJsonObject, refusal, tokenOf } from '../../faults.ts';
import { changeActionBodies, isOrderAction } from '../../order-faults.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from '../../passing.ts';

// Faults in order actions: who may perform them, versions, and members of the body.

const table = `
refuses disputes of the contractor | dispute: any participant | = contractor never disputes
refuses disputes of the customer | dispute: any participant | = customer never disputes
refuses refund proposals of the customer | propose-refund: any participant | = customer never proposes
lets the contractor alone approve a refund | approve-refund: the party that did not propose | = customer never approves
lets the customer alone approve a refund | approve-refund: the party that did not propose | = contractor never approves
refuses to cancel what the contractor has offered | cancel: caller is the author | = contractor never cancels
refuses to reject for the customer | reject: caller is the recipient | = customer never rejects
takes the proposal of the other party for an approval | propose-refund: only one proposal may exist | = second proposal approves
takes any expected_version | version_conflict: expected_version differs from current | = any version
takes a later expected_version | version_conflict: expected_version differs from current | = later version
takes an earlier expected_version | version_conflict: expected_version differs from current | = earlier version
takes a confirmed total above the price | accept: confirmed_total_minor equals the total | = confirms more
takes a confirmed total below the price | accept: confirmed_total_minor equals the total | = confirms less
accepts the reward as the confirmed total | accept: confirmed_total_minor equals the total | = confirms the reward
accepts for a customer that confirms nothing | accept: a customer sends confirmed_total_minor | = confirms nothing
wants a confirmed total from a contractor | accept: confirmed_total_minor of a customer | POST /orders/* path:'/accept$' <- default confirmed_total_minor 0
takes a delivery of nothing | deliver: result_text or files | = delivers nothing
wants a text beside the files of a result | deliver: result_text and/or files | = delivers texts
refuses a reason of one character | reason: 1-2000 | POST /orders/* sent:'"reason":"."' <- 400 invalid_input
pays as the action pay | no other action exists | POST /orders/* <- path '/(approve|finish|pay|close|accept-result|resume|expire|withdraw|refund)$' '/complete'
`;

type Party = 'customer' | 'contractor';

/** What earlier traffic shows about an action: the order and the caller's role. */
interface Known {
  readonly order: MutableObject;
  readonly caller: Party | undefined;
  /** The token that a party received when it was registered. */
  readonly tokenOf: (party: Party) => string | undefined;
}

/** Makes a fault in order actions with access to the orders and agents of earlier traffic. */
function knowing(
  become: (request: ProxiedRequest, known: Known) => ProxiedRequest | ProxiedReply,
  answer: (reply: ProxiedReply, request: ProxiedRequest, known: Known) => ProxiedReply = (reply) => reply,
): () => Fault {
  return () => {
    const tokens = new Map<unknown, string>();
    const orders = new Map<unknown, MutableObject>();
    const know = (request: ProxiedRequest): Known => {
      const order = orders.get(idIn(request.path)) ?? {};
      const ofParty = (party: Party) => tokens.get((order[party] as MutableObject | undefined)?.['id']);
      const caller = (['customer', 'contractor'] as const).find((party) => ofParty(party) === tokenOf(request));
      return { order, caller: tokenOf(request) === undefined ? undefined : caller, tokenOf: ofParty };
    };
    return {
      onRequest: (request) => (isOrderAction(request) ? become(request, know(request)) : request),
      onReply: (passing, request) => {
        const reply = isOrderAction(request) ? answer(passing, request, know(request)) : passing;
        const { bot, token, order } = (parseJsonObject(passing.body) ?? {}) as Readonly<
          Record<string, MutableObject | undefined>
        >;
        if (request.path.endsWith('/register') && bot !== undefined) tokens.set(bot['id'], `${token}`);
        const newest = Number(orders.get(order?.['id'])?.['version'] ?? 0);
        if (order !== undefined && Number(order['version']) >= newest) orders.set(order['id'], order);
        return reply;
      },
    };
  };
}

function neverBy(party: Party, action: string): () => Fault {
  return knowing((request, { caller }) =>
    isOrderAction(request, action) && caller === party ? refusal(403, 'forbidden') : request,
  );
}

function versions(isMeant: (sent: unknown, current: number) => boolean): () => Fault {
  return changeActionBodies([], (body, { version }) =>
    version !== undefined && isMeant(body['expected_version'], Number(version))
      ? { ...body, expected_version: version }
      : body,
  );
}

const isNumber = (sent: unknown): sent is number => typeof sent === 'number';
const total = 'confirmed_total_minor';

function confirms(isMeant: (sent: unknown, order: Readonly<Record<string, unknown>>) => boolean): () => Fault {
  return changeActionBodies(['accept'], (body, order) =>
    isMeant(body[total], order) ? { ...body, [total]: order['total_minor'] } : body,
  );
}

const results = (body: MutableObject) =>
  Number((body['result_attachment_ids'] as readonly unknown[] | undefined)?.length ?? 0);

export default parseCatalogueTable(table, {
  faults: {
    'contractor never disputes': neverBy('contractor', 'dispute'),
    'customer never disputes': neverBy('customer', 'dispute'),
    'customer never proposes': neverBy('customer', 'propose-refund'),
    'contractor never approves': neverBy('contractor', 'approve-refund'),
    'customer never approves': neverBy('customer', 'approve-refund'),
    'contractor never cancels': neverBy('contractor', 'cancel'),
    'customer never rejects': neverBy('customer', 'reject'),
    'second proposal approves': secondProposalApproves(),
    'any version': versions(isNumber),
    'later version': versions((sent, current) => isNumber(sent) && sent > current),
    'earlier version': versions((sent, current) => isNumber(sent) && sent < current),
    'confirms more': confirms((sent, { total_minor }) => isNumber(sent) && sent > Number(total_minor)),
    'confirms less': confirms((sent, { total_minor }) => isNumber(sent) && sent < Number(total_minor)),
    'confirms the reward': confirms((sent, { amount_minor }) => isNumber(sent) && sent === amount_minor),
    'confirms nothing': confirms((sent) => sent === undefined),
    'delivers nothing': changeActionBodies(['deliver'], (body) =>
      body['result_text'] === undefined && results(body) === 0 ? { ...body, result_text: '-' } : body,
    ),
    'delivers texts': knowing((request) =>
      isOrderAction(request, 'deliver') && !request.body.includes('"result_text"')
        ? refusal(400, 'invalid_input')
        : request,
    ),
  },
});

/** Treats the second proposal of a refund as an approval of the first one. */
function secondProposalApproves(): () => Fault {
  return knowing((request, { order }) => {
    const proposal = order['refund_proposal'];
    if (!isOrderAction(request, 'propose-refund') || typeof proposal !== 'object' || proposal === null) return request;
    const { reason: _, ...body } = parseJsonObject(request.body) ?? {};
    return { ...request, path: request.path.replace('propose', 'approve'), body: JSON.stringify(body) };
  });
}
