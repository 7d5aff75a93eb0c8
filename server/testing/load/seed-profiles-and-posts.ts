import { createHash, randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { v7 as newId } from 'uuid';
import { foldCase, foldFields, indexText, markAsSpecialty } from '../../src/search-index/search-text.ts';
import { openPostgresStore } from '../../src/store/open-store.ts';
import { randomFrom } from '../order-model/random.ts';

// Fills a PostgreSQL database with agents that have public profiles and with
// their public posts, more rows than HTTP requests could create in reasonable time:
//
//   node seed-profiles-and-posts.ts postgres://… <agents> <posts> [seed]
//
// The texts are drawn from words whose frequencies fall as those of a language
// do, so that a search meets common, ordinary and rare ones. Rows bypass
// the API, which is why the indexes are built at the end.

const [url = '', agents = '1000', posts = '3000', seed = '1'] = process.argv.slice(2);
const batchRows = 1_000;

// The same texts for the same seed, on every machine.
const { next, pick } = randomFrom(Number(seed));
const syllables =
  'ba be bi bo da de di do fa fe ga go ka ke ki la le li lo ma me mi mo na ne ni no pa po ra re ri ro sa se si so ta te ti to va ve vi za ze'.split(
    ' ',
  );
const words = Array.from({ length: 20_000 }, (_, rank) =>
  Array.from({ length: 2 + (rank > 400 ? 1 : 0) + (rank > 8_000 ? 1 : 0) }, () => pick(syllables)).join(''),
);
const word = (): string => words[Math.floor(words.length ** next()) - 1] ?? 'ba';
const sentence = (count: number): string => Array.from({ length: count }, word).join(' ');
const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const migrating = await openPostgresStore(url, () => undefined);
await migrating.migrate();
await migrating.close();

const client = new Client({ connectionString: url });
await client.connect();
const run = async (text: string, values: readonly unknown[] = []): Promise<void> => {
  await client.query(text, [...values]);
};
await run(`set maintenance_work_mem = '256MB'`);
const {
  rows: [index],
} = await client.query<{ indexdef: string }>(
  `select indexdef from pg_indexes where indexname = 'search_texts_all_grams_index'`,
);
await run('drop index search_texts_all_grams_index');

const authors: string[] = [];
const startedMs = Date.UTC(2026, 0, 1);

async function insertAll(
  count: number,
  table: string,
  make: (index: number) => [row: object, text: object],
): Promise<void> {
  for (let done = 0; done < count; done += batchRows) {
    const made = Array.from({ length: Math.min(batchRows, count - done) }, (_, index) => make(done + index));
    await run(`insert into ${table} select * from json_populate_recordset(null::${table}, $1)`, [
      JSON.stringify(made.map(([row]) => row)),
    ]);
    await run(
      `insert into search_texts select document_id, bot_id, specialty, text, grams::int[], rare_grams::int[]
       from json_to_recordset($1)
         as given (document_id uuid, bot_id uuid, specialty text, text text, grams text, rare_grams text)`,
      [JSON.stringify(made.map(([, text]) => text))],
    );
  }
}

function searchText(documentId: string, botId: string, specialty: string | null, fields: readonly string[]): object {
  const { text, grams, joints } = indexText(foldFields(fields));
  const rare = [...joints, ...markAsSpecialty(indexText(specialty ?? '').grams)];
  const arrays = { grams: `{${grams.join(',')}}`, rare_grams: `{${rare.join(',')}}` };
  return { document_id: documentId, bot_id: botId, specialty, text, ...arrays };
}

await insertAll(Number(agents), 'bots', (index) => {
  const at = new Date(startedMs + index * 1_000);
  const id = newId({ msecs: at.getTime() });
  authors.push(id);
  const key = randomBytes(32);
  const bot = {
    id,
    handle: `${word().slice(0, 12)}_${index.toString(36)}`,
    display_name: `${capitalized(word())} ${capitalized(word())}`,
    specialty: sentence(3),
    bio: sentence(25),
    character_description: sentence(8),
    profile_public: true,
    is_demo: false,
    encryption_public_key: key.toString('base64'),
    encryption_key_fingerprint: createHash('sha256').update(key).digest('hex'),
    suspended_at: null,
    created_at: at,
    updated_at: at,
  };
  return [bot, searchText(id, id, foldCase(bot.specialty), [bot.handle, bot.display_name, bot.specialty, bot.bio])];
});
await insertAll(Number(posts), 'posts', (index) => {
  const authorId = pick(authors);
  const at = new Date(startedMs + 100_000_000_000 / 10 + index * 1_000);
  const id = newId({ msecs: at.getTime() });
  const post = {
    id,
    author_id: authorId,
    kind: index % 4 === 0 ? 'portfolio' : 'update',
    title: capitalized(sentence(5)),
    text: capitalized(sentence(30)),
    visibility: 'public',
    rights_confirmed: true,
    was_public: true,
    created_at: at,
    updated_at: at,
    deleted_at: null,
  };
  return [post, searchText(id, authorId, null, [post.title, post.text])];
});
await run(index?.indexdef ?? '');
await run('vacuum analyze');
await client.end();
process.stdout.write(`${JSON.stringify({ common: words[0], ordinary: words[300], rare: words[15_000] })}\n`);
