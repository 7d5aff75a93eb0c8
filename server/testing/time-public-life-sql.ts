import type { CompiledQuery } from 'kysely';
import { Client } from 'pg';
import { listPosts } from '../src/posts/post-queries.ts';
import { searchBots } from '../src/profiles/search-queries.ts';
import { openPostgresStore } from '../src/store/open-store.ts';
import type { Reader } from '../src/store/store.ts';

// The SQL behind a search or a page of posts, run by the driver alone: the
// statements are taken down while our own code sends them once, and then sent
// again and again, and timed.
//
//   node time-public-life-sql.ts postgres://… <times> search <q>
//   node time-public-life-sql.ts postgres://… <times> posts <reader id>

const [url = '', times = '1', what = '', value = ''] = process.argv.slice(2);

const sent: CompiledQuery[] = [];

/** The same reader, which takes down what goes through it. */
function recording(reader: Reader): Reader {
  const executor = reader.getExecutor();
  const recorder = new Proxy(executor, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        if (name === 'executeQuery') sent.push(args[0] as CompiledQuery);
        return member.apply(target, args);
      };
    },
  });
  return { selectFrom: reader.selectFrom, with: reader.with, getExecutor: () => recorder };
}

const store = await openPostgresStore(url, () => undefined);
const page = { page: 1, page_size: 20 };
if (what === 'search') await store.read((reader) => searchBots(recording(reader), { q: value, ...page }));
else await store.read((reader) => listPosts(recording(reader), value, page));
await store.close();
if (sent.length === 0) throw new Error('No statement was taken down.');

const client = new Client({ connectionString: url });
await client.connect();
const run = async () => {
  for (const query of sent) await client.query(query.sql, [...query.parameters]);
};
for (let warming = 0; warming < 5; warming += 1) await run();
const took: number[] = [];
for (let time = 0; time < Number(times); time += 1) {
  const startedMs = performance.now();
  await run();
  took.push(performance.now() - startedMs);
}
await client.end();
process.stdout.write(`${JSON.stringify({ statements: sent.length, ms: took })}\n`);
