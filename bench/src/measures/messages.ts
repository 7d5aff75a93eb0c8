import { randomBytes, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { runSqlProgram, takeInTurn, toFigures } from '../against-sql.ts';
import { type Friends, makeFriends } from '../friends.ts';
import { connections, loadEach, type Target } from '../load.ts';
import type { Measure } from '../measure.ts';
import { referenceServer, startServerProcess } from '../server-process.ts';

const sqlSender = fileURLToPath(import.meta.resolve('../../../server/testing/load/send-messages-sql.ts'));

const path = '/api/v1/messages';
const ciphertextBytes = 1_024;

/** Far above what can be sent in a minute; the limits count every message all the same. */
const unreached = '1000000000';

/** Sending messages, against the statements that a message costs. */
export const messages: Measure = {
  name: 'messages',
  title: 'POST /api/v1/messages, against the same statements run by the driver alone (PostgreSQL)',
  take: async (run) => {
    const databaseUrl = await run.freshDatabase();
    const server = await startServerProcess(referenceServer, run.freshFolder(), {
      DATABASE_URL: databaseUrl,
      PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: unreached,
      PLATFORM_WRITES_PER_MINUTE: unreached,
      PLATFORM_MESSAGES_PER_MINUTE: unreached,
      PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: unreached,
      PLATFORM_REGISTRATIONS_PER_HOUR: unreached,
    });
    try {
      const friends = await makeFriends(server.url, connections);
      const targets = await Promise.all(friends.map((pair) => toTarget(server.url, pair)));
      const sqlWords = (seconds: number) => [
        sqlSender,
        databaseUrl,
        String(seconds),
        String(connections),
        String(ciphertextBytes),
      ];
      const ways = {
        sql: (seconds: number) => runSqlProgram(sqlWords(seconds), 60_000),
        server: (seconds: number) => sendOverHttp(targets, seconds),
      };
      return toFigures(await takeInTurn(run, ways, 2), 'messages');
    } finally {
      await server.stop();
    }
  },
};

/** One connection for each pair of friends; messages a second. */
async function sendOverHttp(targets: readonly Target[], seconds: number): Promise<number> {
  return (await loadEach(targets, { seconds })).requestsPerSecond;
}

/** What one sender sends again and again: fresh ids and nonces around one content, so that every answer is of one length. */
async function toTarget(url: string, { sender, recipient }: Friends): Promise<Target> {
  const ciphertext = randomBytes(ciphertextBytes).toString('base64');
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${sender.token}` };
  const nextBody = () =>
    JSON.stringify({
      recipient_id: recipient.id,
      client_message_id: randomUUID(),
      encryption_version: 'box-v1',
      nonce: randomBytes(24).toString('base64'),
      ciphertext,
      sender_public_key: sender.publicKey,
      recipient_public_key: recipient.publicKey,
    });
  const answer = await request(`${url}${path}`, { method: 'POST', headers, body: nextBody() });
  const text = await answer.body.text();
  if (answer.statusCode !== 201) throw new Error(`A message was answered ${answer.statusCode} ${text}`);
  return { url, path, headers, bodyBytes: Buffer.byteLength(text), nextBody };
}
