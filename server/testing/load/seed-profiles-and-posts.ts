import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { v7 as newId } from 'uuid';
import { extractGrams, foldCase, foldFields, markAsSpecialty } from '../../src/search-index/search-text.ts';
import { openPostgresStore } from '../../src/store/open-store.ts';
import { makeSeededRandom } from '../order-model/random.ts';
import { makeSeedWords, wordRanks } from './growth/seed-words.ts';

// Fills a PostgreSQL database with public profiles and posts, more than HTTP requests could create in reasonable
// time.
//
//   node seed-profiles-and-posts.ts postgres://… <agents> <posts> [seed]
//
// The frequencies of words resemble those of a language, so that searches can use common, ordinary and
// rare words. Rows are inserted without the API, and the indexes are built at the end.

const [url = '', agents = '1000', posts = '3000', seed = '1'] = process.argv.slice(2);
const batchRows = 1_000;

// The same seed yields the same texts on every machine.
const random = makeSeededRandom(Number(seed));
const { next, pick } = random;
const words = makeSeedWords(random);
const word = (): string => words[Math.floor(words.length ** next()) - 1] ?? 'ba';
const sentence = (count: number): string => Array.from({ length: count }, word).join(' ');
const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const migrating = await openPostgresStore(url, () => undefined);
await migrating.migrate();
await migrating.close();

const client = new Client({ connectionString: url });
const textClient = new Client({ connectionString: url });
await Promise.all([client.connect(), textClient.connect()]);
const run = async (text: string): Promise<void> => {
  await client.query(text);
};
await run(`set maintenance_work_mem = '1GB'`);
// Disables foreign key checks (which are triggers), because texts are written in parallel with their rows.
for (const each of [client, textClient]) await each.query('set session_replication_role = replica');
const {
  rows: [index],
} = await client.query<{ indexdef: string }>(
  `select indexdef from pg_indexes where indexname = 'search_texts_all_grams_index'`,
);
await run('drop index search_texts_all_grams_index');

const authors: string[] = [];
const startedMs = Date.UTC(2026, 0, 1);

type Row = Readonly<Record<string, string | boolean | Date | null>>;

/** Uses two connections for rows and texts, so that the database works while the next rows are made. */
async function insertAll(
  count: number,
  table: string,
  make: (index: number) => readonly [row: Row, text: Row],
): Promise<void> {
  if (count === 0) return;
  const [first, firstText] = make(0);
  const copy = (to: Client, name: string, row: Row) =>
    to.query(copyFrom(`copy ${name} (${Object.keys(row)}) from stdin`));
  const [rows, texts] = [copy(client, table, first), copy(textClient, 'search_texts', firstText)];
  const ended = Promise.all([finished(rows), finished(texts)]);
  rows.write(lineOf(first));
  texts.write(lineOf(firstText));
  for (let done = 1; done < count; done += batchRows) {
    const made = Array.from({ length: Math.min(batchRows, count - done) }, (_, index) => make(done + index));
    await Promise.all([
      write(rows, made.map(([row]) => lineOf(row)).join('')),
      write(texts, made.map(([, text]) => lineOf(text)).join('')),
    ]);
  }
  rows.end();
  texts.end();
  await ended;
}

function write(to: Writable, lines: string): Promise<unknown> {
  return to.write(lines) ? Promise.resolve() : once(to, 'drain');
}

/** Returns a line in the format of COPY; no word contains a character that must be escaped. */
function lineOf(row: Row): string {
  const values = Object.values(row).map((value) => {
    if (value === null) return '\\N';
    return value instanceof Date ? value.toISOString() : String(value);
  });
  return `${values.join('\t')}\n`;
}

function searchText(documentId: string, botId: string, specialty: string | null, fields: readonly string[]): Row {
  const { text, grams, joints } = extractGrams(foldFields(fields));
  const rare = [...joints, ...markAsSpecialty(extractGrams(specialty ?? '').grams)];
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
await Promise.all([client.end(), textClient.end()]);
const printed = Object.entries(wordRanks).map(([name, rank]) => [name, words[rank]]);
process.stdout.write(`${JSON.stringify(Object.fromEntries(printed))}\n`);
