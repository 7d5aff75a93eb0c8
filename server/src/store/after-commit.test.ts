import { describe, expect, it } from 'vitest';
import { afterCommit } from './after-commit.ts';
import { openPgliteStore } from './open-store.ts';

describe('what waits for the commit', () => {
  it('runs after it, in order', async () => {
    const store = await openPgliteStore();
    const heard: string[] = [];

    await store.transact(async (writer) => {
      afterCommit(writer, () => heard.push('first'));
      afterCommit(writer, () => heard.push('second'));
      heard.push('work');
    });
    await store.close();

    expect(heard).toEqual(['work', 'first', 'second']);
  });

  it('never runs when the transaction rolls back', async () => {
    const store = await openPgliteStore();
    const heard: string[] = [];

    const failing = store.transact(async (writer) => {
      afterCommit(writer, () => heard.push('told'));
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await store.close();

    expect(heard).toEqual([]);
  });
});
