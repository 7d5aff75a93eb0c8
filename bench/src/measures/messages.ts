import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'undici';
import { type Friends, makeFriends } from '../friends.ts';
import type { Figure, Measure, Run } from '../measure.ts';
import { median, summary } from '../median.ts';
import { referenceServer, startServerProcess } from '../server-process.ts';

const execute = promisify(execFile);
const sqlSender = fileURLToPath(import.meta.resolve('../../../server/testing/send-messages-sql.ts'));

/** Connections of the load, and loops of the SQL: the same concurrency. */
const connections = 16;
const ciphertextBytes = 1_024;

/** Far above what can be sent in a minute; the limits count every message all the same. */
const unreached = '1000000000';

interface Round {
  readonly sql: number;
  readonly server: number;
}

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
      return toFigures(await takeInTurn(run, databaseUrl, server.url, friends));
    } finally {
      await server.stop();
    }
  },
};

// In turn, and judged in pairs: what else the machine does troubles both of a pair.
async function takeInTurn(
  run: Run,
  databaseUrl: string,
  url: string,
  friends: readonly Friends[],
): Promise<readonly Round[]> {
  const [warmUpSeconds, seconds, count] = run.quick ? [0.3, 0.3, 3] : [3, 2, 9];
  await sendOverHttp(url, friends, warmUpSeconds);
  const rounds: Round[] = [];
  for (let number = 1; number <= count; number += 1) {
    const round = {
      sql: await sendBySql(databaseUrl, seconds),
      server: await sendOverHttp(url, friends, seconds),
    };
    run.say(`round ${number}: SQL ${round.sql.toFixed(0)}/s, server ${round.server.toFixed(0)}/s`);
    rounds.push(round);
  }
  return rounds;
}

async function sendBySql(databaseUrl: string, seconds: number): Promise<number> {
  const args = [sqlSender, databaseUrl, String(seconds), String(connections), String(ciphertextBytes)];
  const { stdout } = await execute(process.execPath, args, { timeout: 60_000 });
  const { perSecond }: { readonly perSecond: number } = JSON.parse(stdout);
  return perSecond;
}

/** Sends over kept connections, one for each pair, the next as soon as the last is answered; messages a second. */
async function sendOverHttp(url: string, friends: readonly Friends[], seconds: number): Promise<number> {
  const ciphertext = randomBytes(ciphertextBytes).toString('base64');
  const started = performance.now();
  const counts = await Promise.all(
    friends.map(async ({ sender, recipient }) => {
      const client = new Client(url, { pipelining: 1 });
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${sender.token}` };
      let sent = 0;
      while (performance.now() - started < seconds * 1_000) {
        const body = JSON.stringify({
          recipient_id: recipient.id,
          client_message_id: randomUUID(),
          encryption_version: 'box-v1',
          nonce: randomBytes(24).toString('base64'),
          ciphertext,
          sender_public_key: sender.publicKey,
          recipient_public_key: recipient.publicKey,
        });
        const answer = await client.request({ method: 'POST', path: '/api/v1/messages', headers, body });
        const text = await answer.body.text();
        if (answer.statusCode !== 201) throw new Error(`A message was answered ${answer.statusCode} ${text}`);
        sent += 1;
      }
      await client.close();
      return sent;
    }),
  );
  return (counts.reduce((sum, count) => sum + count, 0) * 1_000) / (performance.now() - started);
}

function toFigures(rounds: readonly Round[]): readonly Figure[] {
  return [
    {
      name: 'ratio of messages per second',
      ...summary(rounds.map(({ sql, server }) => server / sql)),
      unit: '',
      target: { atLeast: 0.5 },
    },
    { name: 'server', ...summary(rounds.map(({ server }) => server)), unit: 'messages/s' },
    { name: 'SQL by the driver', value: median(rounds.map(({ sql }) => sql)), unit: 'messages/s' },
  ];
}
