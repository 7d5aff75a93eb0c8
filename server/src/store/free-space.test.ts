import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbeddedStore } from '../../testing/embedded-store.ts';
import { requireFreeSpace, reservedBytes } from './free-space.ts';
import type { Store } from './store.ts';
import { StoreUnavailable } from './unavailable.ts';

let store: Store;
let free = reservedBytes;
beforeAll(async () => {
  store = requireFreeSpace(await openEmbeddedStore(), () => free);
});
afterAll(() => store.close());

const write = () => store.transact((writer) => writer.deleteFrom('platform_choices').execute());
const read = () => store.read((reader) => reader.selectFrom('platform_choices').selectAll().execute());

describe('the embedded database on a disk that fills up', () => {
  it('refuses changes before there is no room, reads on, and changes again when there is', async () => {
    free = reservedBytes - 1;
    await expect(store.migrate()).rejects.toThrow(StoreUnavailable);
    free = reservedBytes;
    await store.migrate();
    await write();

    free = reservedBytes - 1;
    await expect(write()).rejects.toThrow(/Free space/);
    expect(await read()).toEqual([]);
    free = reservedBytes;
    await write();
  });
});
