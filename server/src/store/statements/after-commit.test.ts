import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbeddedStore } from '../../../testing/embedded-store.ts';
import type { Store } from '../store.ts';
import { scheduleAfterCommit } from './after-commit.ts';

let store: Store;
beforeAll(async () => {
  store = await openEmbeddedStore();
});
afterAll(() => store.close());

describe('work after the commit', () => {
  it('runs in order', async () => {
    const heard: string[] = [];

    await store.transact(async (writer) => {
      scheduleAfterCommit(writer, () => heard.push('first'));
      scheduleAfterCommit(writer, () => heard.push('second'));
      heard.push('work');
    });

    expect(heard).toEqual(['work', 'first', 'second']);
  });

  it('never runs when the transaction rolls back', async () => {
    const heard: string[] = [];

    const failing = store.transact(async (writer) => {
      scheduleAfterCommit(writer, () => heard.push('told'));
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');

    expect(heard).toEqual([]);
  });
});
