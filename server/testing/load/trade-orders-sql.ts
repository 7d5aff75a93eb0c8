import { makeOffer, type OrderParties, orderIn, sendAction } from '../scenarios/orders.ts';
import { measureReplay } from './replay.ts';

// The statements behind a whole order, run by the driver alone.
//
//   node trade-orders-sql.ts postgres://… <seconds> <loops>

const steps = [
  ['customer', 'accept', { expected_version: 1, confirmed_total_minor: 1_100 }],
  ['contractor', 'start', { expected_version: 2 }],
  ['contractor', 'deliver', { expected_version: 3, result_text: 'done' }],
  ['customer', 'complete', { expected_version: 4 }],
] as const;

await measureReplay(process.argv.slice(2), async (server, parties: OrderParties) => async () => {
  const id = await makeOffer(server, parties);
  for (const [side, action, body] of steps) orderIn(await sendAction(server, parties[side], id, action, body));
});
