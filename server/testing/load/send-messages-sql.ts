import { makeEnvelope, randomBase64 } from '../scenarios/envelopes.ts';
import { measureReplay } from './replay.ts';

// The statements behind POST /messages, run by the driver alone.
//
//   node send-messages-sql.ts postgres://… <seconds> <loops> <bytes of a ciphertext>

const [bytes = '1024'] = process.argv.slice(5);

await measureReplay(process.argv.slice(2), async (server, { customer, contractor }) => {
  const envelope = await makeEnvelope(server, customer, contractor);
  const body = { ...envelope, ciphertext: randomBase64(Number(bytes)) };
  return () => server.request('POST', '/api/v1/messages', { token: customer.token, body });
});
