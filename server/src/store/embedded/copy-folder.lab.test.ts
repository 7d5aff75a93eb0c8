import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { copyEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openPgliteStore } from '../open-store.ts';

const root = makeTestFolder();

describe('a copy of an embedded database that is in use', () => {
  it('has everything that was committed before it started, and no partial transactions', async () => {
    copyEmptyDatabase(root);
    const store = await openPgliteStore(join(root, 'database'));
    let isWriting = true;
    let committed = 0;
    const fill = (number: number) =>
      store.transact(async (writer) => {
        const value = `${number} ${'x'.repeat(3_000)}`;
        for (const half of ['a', 'b'])
          await sql`insert into platform_facts (name, value) values (${`${number} ${half}`}, ${value})`.execute(writer);
      });
    const writing = (async () => {
      for (; isWriting; committed += 1) {
        await fill(committed);
        // PGlite responds without waiting, so timers and file operations would not run otherwise.
        await nextTurn();
      }
    })();
    await expect.poll(() => committed).toBeGreaterThan(50);
    const before = committed;
    const copying = store.copyFolder(join(root, 'copy'));
    expect(await store.checkpoint()).toBe(false);
    await copying;
    const during = committed - before;
    isWriting = false;
    await writing;
    expect(await store.checkpoint()).toBe(true);
    await store.close();

    const copy = await openPgliteStore(join(root, 'copy'));
    const { rows } = await copy.read((reader) =>
      sql<{ number: number; halves: number }>`
        select split_part(name, ' ', 1)::int as number, count(*)::int as halves from platform_facts
        where name ~ '^[0-9]+ [ab]$' group by 1 order by 1`.execute(reader),
    );
    await copy.close();
    expect(during).toBeGreaterThan(0);
    expect(rows.length).toBeGreaterThanOrEqual(before);
    expect(rows.map(({ number }) => number)).toEqual(rows.map((_, at) => at));
    expect(rows.filter(({ halves }) => halves !== 2)).toEqual([]);
  });
});
