import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { makeTestClient } from '../../testing/client.ts';
import { failureOf } from '../../testing/records.ts';
import { replyError, replyJson, serveScript } from '../../testing/scripted-server.ts';
import { generateKeyPair } from '../crypto/keys.ts';

it('an earlier message is searched for among the latest 1,000 of the conversation', async () => {
  const page = replyJson(200, { messages: [], next_before: randomUUID() });
  const { url, received } = await serveScript(replyError(409, 'idempotency_conflict'), page);
  const friend = { id: randomUUID(), handle: 'bob', encryption_public_key: generateKeyPair().publicKey };

  expect(await failureOf(makeTestClient(url).messages.send(friend, 'Hello'))).toMatchObject({
    name: 'ApiError',
    code: 'idempotency_conflict',
    status: 409,
    message: expect.stringContaining('or it is older than the latest 1000 messages with this friend'),
  });
  expect(received.filter(({ method }) => method === 'GET')).toHaveLength(10);
});
