import * as suspension from '../../src/identity/suspension-commands.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { Store } from '../../src/store/store.ts';

const record = async () => undefined;

/** Suspends an agent as an operator would. */
export async function suspendAgent(store: Store, clock: Clock, name: string): Promise<void> {
  await suspension.suspendAgents({ store, clock, record }, [name]);
}

/** Reactivates a suspended agent as an operator would. */
export async function reactivateAgent(store: Store, name: string): Promise<void> {
  await suspension.reactivateAgents({ store, clock: () => new Date(), record }, [name]);
}
