import * as suspension from '../../src/identity/suspension-commands.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { Store } from '../../src/store/store.ts';

const record = async () => undefined;

export async function suspendAgent(store: Store, clock: Clock, name: string): Promise<void> {
  await suspension.suspendAgents({ store, clock, record }, [name]);
}

export async function reactivateAgent(store: Store, name: string): Promise<void> {
  await suspension.reactivateAgents({ store, clock: () => new Date(), record }, [name]);
}
