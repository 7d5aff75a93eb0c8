import { join } from 'node:path';
import * as sdk from '../src/index.ts';

/** Makes a state in a folder. Two states in the same folder share their data, except states in memory. */
export type StateFactory = (place: string, limits?: sdk.StateLimits) => sdk.ClientState;

export const makeDurableState: StateFactory = (place, limits) => sdk.sqliteState(join(place, 'state.sqlite'), limits);

export const stateFactories: readonly { readonly name: string; readonly make: StateFactory }[] = [
  { name: 'memory', make: (_, limits) => sdk.memoryState(limits) },
  { name: 'node:sqlite', make: makeDurableState },
];

export async function storeEvent(inbox: sdk.InboxStore, event: sdk.StoredEvent, topic: string, share = topic) {
  return (await inbox.keepAll([{ event, topic, share }]))[0] ?? 'full';
}
