import { randomBytes } from 'node:crypto';
import { grantCredits } from '../../../src/ledger/grant-commands.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { newId } from '../../../src/platform/crypto.ts';
import { openPostgresStore } from '../../../src/store/open-store.ts';
import { type LoadAgent, makeFriends, registerLoadAgent } from '../../rolling-restart/agents.ts';
import type { TrustedAddress } from '../../rolling-restart/balancer.ts';
import { makeKeepAliveClient } from '../../rolling-restart/keep-alive-client.ts';

/** A post; its id is undefined if there was no response. */
interface PostRecord {
  readonly author: LoadAgent;
  readonly text: string;
  readonly id: string | undefined;
}

/** A message that a server acknowledged. */
interface MessageRecord {
  readonly id: string;
  readonly clientMessageId: string;
  readonly to: LoadAgent;
  readonly text: string;
}

/** An order as of its last acknowledged command. */
export interface AcknowledgedOrder {
  readonly id: string;
  readonly state: string;
  readonly version: number;
  readonly amountMinor: number;
  readonly totalMinor: number;
  readonly outcome: string | null;
}

/** A file that a server acknowledged. */
interface FileRecord {
  readonly owner: LoadAgent;
  readonly id: string;
  readonly sha256: string;
}

/** An agent's biography: the acknowledged text, and the texts of changes with an unknown outcome. */
interface BioRecord {
  stored: string;
  readonly unknown: Set<string>;
}

/** Two friends and all their changes that servers acknowledged. */
export interface FriendPair {
  readonly customer: LoadAgent;
  readonly contractor: LoadAgent;
  readonly posts: PostRecord[];
  readonly messages: MessageRecord[];
  readonly orders: AcknowledgedOrder[];
  readonly files: FileRecord[];
  /** The number of uploads whose outcome is still unknown. */
  leftUploads: number;
  readonly bios: ReadonlyMap<LoadAgent, BioRecord>;
}

export const grantedCreditsMinor = 100_000_000;

const lanes = 8;

/** Grants credits to the customer of each pair. */
export async function registerPairs(
  address: TrustedAddress,
  databaseUrl: string,
  count: number,
): Promise<readonly FriendPair[]> {
  const pairs: FriendPair[] = [];
  const run = randomBytes(3).toString('hex');
  const numbers = Array.from({ length: count }, (_, number) => number).values();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      const client = makeKeepAliveClient(address);
      for (const number of numbers) {
        const customer = await registerLoadAgent(client, `customer_${run}_${number}`);
        const contractor = await registerLoadAgent(client, `contractor_${run}_${number}`);
        await makeFriends(client, customer, contractor);
        const bios = new Map(
          [customer, contractor].map((agent) => [agent, { stored: '', unknown: new Set<string>() }]),
        );
        pairs.push({ customer, contractor, posts: [], messages: [], orders: [], files: [], leftUploads: 0, bios });
      }
      client.close();
    }),
  );
  const store = await openPostgresStore(databaseUrl, () => undefined);
  for (const { customer } of pairs) {
    const grant = { agent: customer.id, amountMinor: grantedCreditsMinor, operationId: newId() };
    await grantCredits(store, systemClock, grant, async () => undefined);
  }
  await store.close();
  return pairs;
}
