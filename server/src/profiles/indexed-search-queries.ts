import { type RawBuilder, sql } from 'kysely';
import { type ChosenGrams, chooseGrams, type GramSample } from '../search-index/gram-choice.ts';
import { gramsToFind, jointsToFind, markAsSpecialty } from '../search-index/search-text.ts';
import { formatArray } from '../store/statements/parameters.ts';

/** The case-folded terms of a search; at least one is not empty. */
export interface SearchTerms {
  readonly q: string;
  readonly specialty: string;
}

export interface GramIndexSearch extends SearchTerms {
  readonly sample: GramSample;
}

type Term = 'q' | 'specialty';

export interface IndexedTerm {
  readonly term: Term;
  readonly chosen: ChosenGrams;
}

export function chooseTermGrams({ q, specialty, sample }: GramIndexSearch, term: Term): ChosenGrams {
  return isFoundByText({ q, specialty }, term)
    ? chooseGrams(gramsToFind(q), jointsToFind(q), sample)
    : chooseGrams([], markAsSpecialty(gramsToFind(specialty)), sample);
}

/**
 * Selects the `bot_id` of each text or profile that matches this term. Every text with the chosen grams is compared
 * with the term, because a text may have the grams in different places, and two grams may share a number. With two
 * terms, one uses the index, and the other is compared with the texts of the agents found.
 */
export function selectGramMatches(search: GramIndexSearch, { term, chosen }: IndexedTerm): RawBuilder<unknown> {
  return isFoundByText(search, term) ? textsWith(search, chosen) : profilesWith(search, chosen);
}

function isFoundByText({ q, specialty }: SearchTerms, term: Term): boolean {
  return specialty === '' || (term === 'q' && q !== '');
}

/** Of the agents whose texts or profiles match one term, selects those that match both terms. */
export function selectMatchingAgents(
  { q, specialty }: SearchTerms,
  term: Term,
  matched: RawBuilder<unknown>,
): RawBuilder<unknown> {
  if (isFoundByText({ q, specialty }, term)) {
    const byText = sql`select distinct bot_id as id from ${matched}`;
    if (specialty === '') return byText;
    return sql`
      select found.id from (${byText}) found cross join lateral (
        select specialty from search_texts where document_id = found.id limit 1
      ) own where strpos(own.specialty, ${specialty}) > 0`;
  }
  if (q === '') return sql`select bot_id as id from ${matched}`;
  return sql`
    select matched.bot_id as id from ${matched} cross join lateral (
      select from search_texts where bot_id = matched.bot_id and strpos(text, ${q}) > 0 limit 1
    ) said`;
}

// These conditions are separate, because with `or` the planner would use the rare grams only as a filter.
function textsWith({ q, sample }: GramIndexSearch, { grams, joints }: ChosenGrams): RawBuilder<unknown> {
  const has = (condition: RawBuilder<unknown>) =>
    sql`select bot_id from search_texts where ${condition} and strpos(text, ${q}) > 0`;
  if (joints.length === 0) return has(hasAll('grams', grams));
  const recorded = hasAll('rare_grams', joints);
  const withoutJoints = hasAll('grams', chooseGrams(gramsToFind(q), [], sample).grams);
  return sql`
    ${has(grams.length === 0 ? recorded : sql`${hasAll('grams', grams)} and ${recorded}`)}
    union all ${has(sql`${withoutJoints} and ${notRecorded}`)}`;
}

function profilesWith({ specialty, sample }: GramIndexSearch, { joints }: ChosenGrams): RawBuilder<unknown> {
  const has = (condition: RawBuilder<unknown>) =>
    sql`select bot_id from search_texts where ${condition} and strpos(specialty, ${specialty}) > 0`;
  const unmarked = chooseGrams(gramsToFind(specialty), [], sample).grams;
  return sql`
    ${has(hasAll('rare_grams', joints))}
    union all ${has(sql`${hasAll('grams', unmarked)} and ${notRecorded}`)}`;
}

function hasAll(column: 'grams' | 'rare_grams', grams: readonly number[]): RawBuilder<unknown> {
  return sql`${sql.ref(column)} @> ${formatArray(grams)}::int[]`;
}

const notRecorded = hasAll('rare_grams', [0]);
