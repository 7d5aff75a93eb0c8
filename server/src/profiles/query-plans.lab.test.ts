import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freshDatabase } from '@agent-platform/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { captureStatements, type StatementRequest } from '../../testing/load/profile-and-post-statements.ts';

// Tests the query plans of list statements on tables that are large enough for the planner to have a choice: 25,000
// texts of 5,000 agents.

const seeder = fileURLToPath(new URL('../../testing/load/seed-profiles-and-posts.ts', import.meta.url));
const words: { common: string; ordinary: string; rare: string } = { common: '', ordinary: '', rare: '' };
let url: string;
let client: Client;
beforeAll(async () => {
  url = await freshDatabase(inject('postgresUrl'));
  const { stdout } = await promisify(execFile)(process.execPath, [seeder, url, '5000', '20000'], { timeout: 600_000 });
  Object.assign(words, JSON.parse(stdout));
  client = new Client({ connectionString: url });
  await client.connect();
});
afterAll(() => client.end());

const largeTables = new Set(['bots', 'posts', 'search_texts']);

/** Returns the large tables that a plan reads completely. */
function tablesReadWhole(plan: unknown): string[] {
  if (Array.isArray(plan)) return plan.flatMap(tablesReadWhole);
  if (typeof plan !== 'object' || plan === null) return [];
  const table: unknown = Reflect.get(plan, 'Relation Name');
  const isWhole = String(Reflect.get(plan, 'Node Type')).endsWith('Seq Scan') && largeTables.has(String(table));
  return [...(isWhole ? [String(table)] : []), ...Object.values(plan).flatMap(tablesReadWhole)];
}

async function explain(asked: StatementRequest, page: number): Promise<readonly unknown[]> {
  const plans: unknown[] = [];
  for (const { text, values } of await captureStatements(url, asked, page)) {
    const { rows } = await client.query<{ 'QUERY PLAN': unknown }>(`explain (format json) ${text}`, values);
    plans.push(rows[0]?.['QUERY PLAN']);
  }
  return plans;
}

const someReader: StatementRequest = { what: 'posts', readerId: '019ab000-0000-7000-8000-000000000000' };

describe('the statements behind', () => {
  it.each(['common', 'ordinary', 'rare'] as const)('a search for a %s word read no whole table', async (word) => {
    for (const page of [1, 4]) {
      const plans = await explain({ what: 'search', q: words[word] }, page);
      expect(tablesReadWhole(plans), JSON.stringify(plans)).toEqual([]);
    }
  });

  it.each([1, 4])('page %i of posts read no whole table', async (page) => {
    const plans = await explain(someReader, page);
    expect(tablesReadWhole(plans), JSON.stringify(plans)).toEqual([]);
  });

  it('would be detected if they did', async () => {
    const { rows } = await client.query(`explain (format json) select count(*) from posts where text like '%x%'`);
    expect(tablesReadWhole(rows)).toEqual(['posts']);
  });
});

/** Returns the number of rows of large tables that a plan reads, without index-only reads. */
function countRowsRead(plan: unknown): number {
  if (Array.isArray(plan)) return plan.reduce((sum: number, part) => sum + countRowsRead(part), 0);
  if (typeof plan !== 'object' || plan === null) return 0;
  const node = plan as Readonly<Record<string, unknown>>;
  const number = (name: string) => Number(node[name] ?? 0);
  const visited = number('Actual Loops') * (number('Actual Rows') + number('Rows Removed by Filter'));
  const isLarge = largeTables.has(String(node['Relation Name']));
  const own = node['Node Type'] === 'Index Only Scan' ? number('Heap Fetches') : isLarge ? visited : 0;
  return own + countRowsRead(Object.values(node));
}

async function countOf({ text, values }: { readonly text: string; readonly values: unknown[] }): Promise<number> {
  const { rows } = await client.query(`explain (analyze, format json) ${text}`, values);
  return countRowsRead(rows[0]['QUERY PLAN']);
}

describe('page 500 of 20 posts', () => {
  async function countForPage(): Promise<number> {
    let count = 0;
    for (const statement of await captureStatements(url, someReader, 500)) count += await countOf(statement);
    return count;
  }

  // Tests repeat the vacuum, because it cannot mark rows as visible to all before their commit is written or while
  // another session, such as autovacuum, has an older snapshot.
  const countAfterVacuum = () => client.query('vacuum analyze bots, posts').then(countForPage);
  beforeAll(() => client.query('set synchronous_commit = on'));

  it('reads no row of the 10,000 posts before it, or of their authors', async () => {
    await expect.poll(countAfterVacuum).toBeLessThan(100);
  });

  it('also does not if a third of the authors is not listed', async () => {
    const list = (isPublic: boolean) =>
      client.query(`update bots set profile_public = ${isPublic} where get_byte(uuid_send(id), 15) % 3 = 0`);
    await list(false);
    await expect.poll(countAfterVacuum).toBeLessThan(100);
    await list(true);
    await client.query('vacuum analyze bots');
  });

  it('would be detected if it did', async () => {
    const joined = `select from posts join bots on bots.id = author_id where bio like '%x%' order by posts.created_at limit 50`;
    const { rows } = await client.query(`explain (analyze, format json) ${joined}`);
    expect(countRowsRead(rows[0]['QUERY PLAN'])).toBeGreaterThan(1_000);
  });
});

// These statistics make the planner expect five public posts among 200,000.
const neverAnalyzed = `delete from pg_statistic where starelid = 'posts'::regclass;
  update pg_class set reltuples = 200000 where oid = 'posts'::regclass`;

describe('if no author of 20,000 posts is listed', () => {
  beforeAll(() => client.query('update bots set profile_public = false'));

  it.each([neverAnalyzed, 'analyze posts'])(
    'a page up to the 50th first reads a bounded number of rows (%s)',
    async (statistics) => {
      await client.query(statistics);
      for (const page of [1, 2, 50]) {
        const near = (await captureStatements(url, someReader, page)).find(({ text }) => text.includes('row_number'));
        expect(near && (await countOf(near)), near?.text).toBeLessThan(3 * (page * 20 + 501));
      }
    },
  );

  it('a page of one kind reads no post of the other kind', async () => {
    const { rows } = await client.query(`
      update posts set kind = 'update', author_id = (select author_id from posts limit 1) returning author_id`);
    const reader = { ...someReader, readerId: rows[0].author_id };
    for (const page of [1, 2])
      for (const statement of await captureStatements(url, { ...reader, kind: 'portfolio' }, page))
        expect(await countOf(statement), statement.text).toBe(0);
  });
});

describe('a statement with a generic plan', () => {
  it.each([{ what: 'search', q: 'ba' }, someReader] as const)('for $what reads no whole table', async (asked) => {
    await client.query('set plan_cache_mode = force_generic_plan');
    for (const { text, values } of await captureStatements(url, asked)) {
      const given = values.map((value) => client.escapeLiteral(String(value)));
      await client.query(`prepare ${asked.what} as ${text}`);
      const { rows } = await client.query(
        `explain (format json) execute ${asked.what} ${given.length === 0 ? '' : `(${given.join(', ')})`}`,
      );
      await client.query(`deallocate ${asked.what}`);
      expect(tablesReadWhole(rows), JSON.stringify(rows)).toEqual([]);
    }
    await client.query('reset plan_cache_mode');
  });
});

describe('among 60 agents', () => {
  it('a deep page does not read all of them for each post', async () => {
    const few = 'delete from bots where id not in (select id from bots limit 60)';
    await client.query(`set session_replication_role = replica; ${few}; ${neverAnalyzed}`);
    await client.query('vacuum (full, analyze) bots');
    const [deep] = await captureStatements(url, someReader, 60);
    expect(deep && (await countOf(deep))).toBeLessThan(10_000);
  });
});
