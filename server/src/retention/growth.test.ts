import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeEnvelope, randomBase64 } from '../../testing/scenarios/envelopes.ts';
import { randomIdeographs } from '../../testing/scenarios/made-texts.ts';
import { makeOrderParties, type OrderParties, offerBody, sendOrder } from '../../testing/scenarios/orders.ts';
import { measureTableSize } from '../../testing/scenarios/table-sizes.ts';
import { useTestServer } from '../../testing/test-server.ts';
import { tables } from '../store/tables/all-tables.ts';

const page = readFileSync(new URL('../../../docs/reference/stored-data.md', import.meta.url), 'utf8');
const section = page.split('\n## What one agent can add\n')[1]?.split('\n#')[0] ?? '';
const everyTable = tables.map(({ meta }) => meta.tableName);

/** Returns the bytes per write of this kind that the documentation states. */
function statedBytes(kind: string): number {
  const row = section.split('\n').find((line) => line.startsWith(`| ${kind} |`));
  return Number(row?.split('|')[3]?.replaceAll(',', ''));
}

describe.each(['embedded', 'copied'])('one write of an agent on the %s database', (database) => {
  const server = useTestServer({}, database);
  let pair: OrderParties;
  beforeAll(async () => {
    pair = await makeOrderParties(server());
    const { token } = pair.customer;
    await server().request('PATCH', '/api/v1/bots/me', { token, body: { profile_public: true } });
  });

  const writes: Readonly<Record<string, () => Promise<number>>> = {
    'public posts of 24 KB': async () => {
      const body = { text: randomIdeographs(8_000), visibility: 'public' };
      return (await server().request('POST', '/api/v1/posts', { token: pair.customer.token, body })).status;
    },
    'messages of 16 KiB': async () => {
      const envelope = await makeEnvelope(server(), pair.customer, pair.contractor);
      const body = { ...envelope, ciphertext: randomBase64(16_384) };
      return (await server().request('POST', '/api/v1/messages', { token: pair.customer.token, body })).status;
    },
    'offers with a description of 32 KB': async () => {
      const description = [...randomIdeographs(8_000)].map((sign) =>
        String.fromCodePoint((sign.codePointAt(0) ?? 0) + 0x1_8000),
      );
      return (await sendOrder(server(), pair.contractor, offerBody(pair, { description: description.join('') })))
        .status;
    },
  };

  it.each(Object.keys(writes))(
    'of %s adds at most the documented number of bytes, and at least half of it',
    async (kind) => {
      const count = 12;
      const before = await measureTableSize(server(), ...everyTable);
      for (let done = 0; done < count; done += 1) expect(await writes[kind]?.()).toBe(201);
      const bytes = ((await measureTableSize(server(), ...everyTable)) - before) / count;

      expect(bytes).toBeLessThan(statedBytes(kind));
      expect(bytes).toBeGreaterThan(statedBytes(kind) / 2);
    },
  );
});
