import { sql } from 'kysely';
import type { Row } from '../store/decode.ts';
import { formatArray } from '../store/statements/parameters.ts';
import type { Writer } from '../store/store.ts';
import { extractGrams, foldCase, foldFields, markAsSpecialty } from './search-text.ts';

type SearchableProfile = Pick<Row<'bots'>, 'id' | 'handle' | 'display_name' | 'specialty' | 'bio'>;

type SearchableWork = Pick<Row<'posts'>, 'id' | 'author_id' | 'title' | 'text'>;

/** Indexes the current texts of a profile; the search checks whether it is listed. */
export async function indexProfile(writer: Writer, profile: SearchableProfile): Promise<void> {
  const { id, handle, display_name, specialty, bio } = profile;
  await record(writer, id, id, foldCase(specialty), [handle, display_name, specialty, bio]);
}

export async function indexWork(writer: Writer, work: SearchableWork): Promise<void> {
  await record(writer, work.id, work.author_id, null, [work.title, work.text]);
}

/** Returns SQL that indexes new posts. The query `posts` selects `id`, `author_id` and the indexed values. */
export function indexWorksSql(posts: string): string {
  return `insert into search_texts (document_id, bot_id, text, grams, rare_grams)
    select id, author_id, indexed_text, grams::int[], rare_grams::int[] from (${posts}) post`;
}

/** Returns the values that `indexWorksSql` needs: `indexed_text`, `grams` and `rare_grams`. */
export function indexedValues({ title, text }: Pick<SearchableWork, 'title' | 'text'>): readonly string[] {
  const indexed = extractGrams(foldFields([title, text]));
  return [indexed.text, formatArray(indexed.grams), formatArray(indexed.joints)];
}

export async function removeWork(writer: Writer, postId: string): Promise<void> {
  await writer.deleteFrom('search_texts').where('document_id', '=', postId).execute();
}

async function record(
  writer: Writer,
  documentId: string,
  botId: string,
  specialty: string | null,
  fields: readonly string[],
): Promise<void> {
  const { text, grams, joints } = extractGrams(foldFields(fields));
  const ofSpecialty = specialty === null ? [] : markAsSpecialty(extractGrams(specialty).grams);
  const toArray = (numbers: readonly number[]) => sql<number[]>`${formatArray(numbers)}::int[]`;
  const said = { specialty, text, grams: toArray(grams), rare_grams: toArray([...joints, ...ofSpecialty]) };
  await writer
    .insertInto('search_texts')
    .values({ document_id: documentId, bot_id: botId, ...said })
    .onConflict((conflict) => conflict.column('document_id').doUpdateSet(said))
    .execute();
}
