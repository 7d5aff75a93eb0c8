import type { Act, Journal } from './consent.ts';

const dayMs = 86_400_000;

/** Makes a journal in memory, which contains the spending and the unfinished acts of this run of the program. */
export function memoryJournal(now: () => number = Date.now): Journal {
  const acts = new Map<
    string,
    Act & { readonly atMs: number; isWithinLimit: boolean; isSettled: boolean; orderId: string | null }
  >();
  const recent = () => [...acts.values()].filter(({ atMs }) => atMs > now() - dayMs);
  const insert = (act: Act, isWithinLimit: boolean) => {
    const orderId = act.facts.order_id;
    for (const [id, { atMs }] of acts) if (atMs <= now() - dayMs) acts.delete(id);
    acts.set(act.facts.operation_id, { ...act, atMs: now(), isWithinLimit, isSettled: false, orderId });
  };
  const countedTotals = () => {
    const counted = recent().filter(({ isWithinLimit }) => isWithinLimit);
    // The keys are order ids where they are known, so that several acts on one order count once.
    return new Map(counted.map(({ facts, orderId }) => [orderId ?? facts.operation_id, facts.total_minor ?? 0]));
  };
  return {
    find: (call) => recent().findLast((act) => act.call === call && !act.isSettled)?.facts,
    store: (act) => {
      if (!acts.has(act.facts.operation_id)) insert(act, false);
    },
    reserve: (act, limitMinor) => {
      const totals = countedTotals();
      const spent = [...totals.values()].reduce((sum, total) => sum + total, 0);
      const { order_id, total_minor } = act.facts;
      const isCounted = order_id !== null && totals.has(order_id);
      if (!isCounted && spent + (total_minor ?? 0) > limitMinor) return false;
      insert(act, true);
      return true;
    },
    settle: (operationId, outcome) => {
      const act = acts.get(operationId);
      if (act === undefined || act.isSettled) return;
      act.isSettled = true;
      if (outcome === 'refused') act.isWithinLimit = false;
      else act.orderId = outcome.orderId;
    },
    checkPolicy: () => undefined,
    use: () => undefined,
  };
}
