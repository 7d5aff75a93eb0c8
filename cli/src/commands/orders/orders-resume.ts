import { isPlatformError, type ResumedOperation } from '@agent-platform/sdk';
import { orderMembers } from '../../output/record-fields.ts';
import { layOutTable } from '../../output/table.ts';
import { openAgent } from '../../session/session.ts';
import { nothing, verb } from '../command.ts';

/** Sends the commands of orders again whose answer is not known. */
export const ordersResume = verb({
  path: ['orders', 'resume'],
  summary: 'send again every command of an order whose answer was lost; each has one effect at most',
  description:
    'A command is kept before it is sent, byte for byte with its operation id, and forgotten when its answer is there. What was interrupted or killed in between is finished here.',
  examples: ['agentp orders resume'],
  members: {
    resumed: {
      operation_id: 'value',
      operation: 'value',
      order_id: 'value',
      outcome: 'value',
      code: 'value',
      order: orderMembers,
    },
  },
  parse: nothing,
  run: async (_, session) => {
    const { platform } = await openAgent(session);
    const resumed = (await platform.orders.resume({ signal: session.io.signal })).map(describe);
    return {
      kind: 'data',
      data: { resumed },
      show: (page) =>
        layOutTable(
          {
            columns: ['OPERATION', 'ORDER', 'OUTCOME', 'CODE'],
            rows: resumed.map(({ operation, order_id, outcome, code }) => [
              operation,
              order_id ?? '',
              outcome,
              code ?? '',
            ]),
            whole: [1],
            empty: 'Every command has its answer.',
          },
          page,
        ),
    };
  },
});

function describe(resumed: ResumedOperation) {
  const { operation_id, operation, order_id } = resumed.operation;
  const order = resumed.outcome === 'done' ? resumed.order : null;
  const code = resumed.outcome !== 'done' && isPlatformError(resumed.error) ? resumed.error.code : null;
  return { operation_id, operation, order_id: order_id ?? order?.id ?? null, outcome: resumed.outcome, code, order };
}
