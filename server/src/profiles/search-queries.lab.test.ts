import { freshDatabase } from '@agent-platform/testing';
import { sql } from 'kysely';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { openEmbeddedStore } from '../../testing/embedded-store.ts';
import { newId } from '../platform/crypto.ts';
import { getGramSample } from '../search-index/gram-count-queries.ts';
import { indexProfile, indexWork } from '../search-index/search-index-commands.ts';
import { foldCase, gramsToFind, jointsToFind, markAsSpecialty } from '../search-index/search-text.ts';
import { openPostgresStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { rareMatchesMax, searchSampleSize } from './search-plan.ts';
import { searchBots } from './search-queries.ts';

// A search has two plans and a separate index. This test compares its results with those of the simplest possible
// search over agents with many similar texts.

interface Model {
  readonly bot: {
    readonly id: string;
    readonly handle: string;
    readonly display_name: string;
    readonly specialty: string;
    readonly bio: string;
  };
  readonly isListed: boolean;
  readonly works: { readonly id: string; readonly title: string; readonly text: string }[];
}

function makeRandom(seed: number) {
  let state = seed;
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * below);
  };
  const letters = ['a', 'A', 'b', 'B', 'e', ' ', 'ß', 'σ', 'Σ', 'é', '本', '🦊', '%', '_', '\\', "'"];
  // Letters at the start are frequent, and letters at the end are rare.
  const letter = () => letters[next(next(next(letters.length) + 1) + 1)] ?? 'a';
  return { next, text: (length: number) => Array.from({ length }, letter).join('') };
}

function makeModels(count: number, random: ReturnType<typeof makeRandom>): Model[] {
  return Array.from({ length: count }, (_, index) => ({
    bot: {
      id: newId(),
      handle: `h${index}_${random.next(10)}`,
      display_name: `x${random.text(2)}`,
      specialty: random.text(random.next(5)),
      bio: random.text(random.next(30)),
    },
    isListed: random.next(8) > 0,
    works: Array.from({ length: index === 150 ? 230 : random.next(4) }, () => ({
      id: newId(),
      title: random.text(random.next(4)),
      text: `y${random.text(random.next(20))}`,
    })),
  }));
}

async function store(models: readonly Model[], opened: Store): Promise<void> {
  await opened.migrate();
  onTestFinished(() => opened.close());
  const at = new Date();
  const same = { character_description: '', is_demo: false, encryption_public_key: '' };
  for (const { bot, isListed, works } of models) {
    const shown = { profile_public: isListed, suspended_at: null, created_at: at, updated_at: at };
    await opened.transact(async (writer) => {
      await writer
        .insertInto('bots')
        .values({ ...bot, ...same, ...shown, encryption_key_fingerprint: bot.id })
        .execute();
      await indexProfile(writer, bot);
      for (const work of works) await indexWork(writer, { ...work, author_id: bot.id });
    });
  }
  // Half of the rows look as if they had been stored before rare grams were recorded.
  await opened.transact(async (writer) => {
    await sql`update search_texts set rare_grams = default where get_byte(uuid_send(document_id), 15) % 2 = 0`.execute(
      writer,
    );
    await sql`analyze bots`.execute(writer);
  });
}

/** Makes searches expect so many agents that a sample without matches is inconclusive. */
async function pretendManyAgents(opened: Store): Promise<void> {
  await opened.transact(async (writer) => {
    await sql`update pg_class set reltuples = 1000000 where oid = 'bots'::regclass`.execute(writer);
  });
}

function pickPart(models: readonly Model[], random: ReturnType<typeof makeRandom>): string {
  const points = [...(models[random.next(models.length)]?.bot.bio ?? '')];
  const start = random.next(points.length);
  return points.slice(start, start + 4 + random.next(6)).join('');
}

function findInModels(models: readonly Model[], q: string, specialty: string): string[] {
  const has = (text: string, part: string) => foldCase(text).includes(foldCase(part));
  return models
    .filter(({ isListed }) => isListed)
    .filter(({ bot }) => has(bot.specialty, specialty))
    .filter(({ bot, works }) =>
      [bot.handle, bot.display_name, bot.specialty, bot.bio, ...works.flatMap(({ title, text }) => [title, text])].some(
        (text) => has(text, q),
      ),
    )
    .toSorted(({ bot: one }, { bot: other }) =>
      Buffer.compare(
        Buffer.from(`${one.display_name}\0${one.handle}`),
        Buffer.from(`${other.display_name}\0${other.handle}`),
      ),
    )
    .map(({ bot }) => bot.handle);
}

describe.each([
  ['PGlite', openEmbeddedStore],
  ['PostgreSQL 18', async () => await openPostgresStore(await freshDatabase(inject('postgresUrl')), () => undefined)],
  ['PostgreSQL 15', async () => await openPostgresStore(await freshDatabase(inject('postgres15Url')), () => undefined)],
])('a search on %s', (_name, open) => {
  it('finds an agent by a work beyond the limit of a scan, and no agent whose works do not match', async () => {
    const models = Array.from(
      { length: 200 },
      (_, index): Model => ({
        bot: {
          id: newId(),
          handle: `h${index}_x`,
          display_name: `n${1_000 + index}`,
          specialty: '',
          bio: index % 10 === 0 ? 'needle' : '',
        },
        isListed: true,
        // These two agents are after the sample, but within the subsequent scan.
        works: Array.from({ length: index === 105 || index === 107 ? 230 : 0 }, (_none, work) => ({
          id: newId(),
          title: '',
          text: index === 105 && work === 229 ? 'needle' : 'hay',
        })),
      }),
    );
    const opened = await open();
    await store(models, opened);
    const found = await searchBots(opened, newId(), { q: 'needle', page: 1, page_size: 20 });

    expect(found.items.map(({ handle }) => handle)).toEqual(findInModels(models, 'needle', '').slice(0, 20));
    expect(found.items.map(({ handle }) => handle)).toContain('h105_x');
  });

  it('finds a word that occurs in many texts, but in none from an agent in the sample', async () => {
    // The first agents in the list are stored last, and rows with even ids are updated. Therefore, a search that stops
    // after a number of stored matches would miss them.
    const models = Array.from({ length: 2 * searchSampleSize }, (_, index): Model => {
      const display_name = `n${2_000 - index}`;
      return {
        bot: { id: newId(), handle: `h${index}_x`, display_name, specialty: '', bio: '' },
        isListed: true,
        works: Array.from(
          { length: index < searchSampleSize && index % 2 === 0 ? rareMatchesMax / 50 + 5 : 0 },
          () => ({
            id: `${newId().slice(0, -1)}${index < 50 ? 1 : 0}`,
            title: '',
            text: 'needle',
          }),
        ),
      };
    });
    const opened = await open();
    await store(models, opened);
    await pretendManyAgents(opened);
    for (const page of [1, 3]) {
      const found = await searchBots(opened, newId(), { q: 'needle', page, page_size: 20 });
      const expected = findInModels(models, 'needle', '').slice(20 * (page - 1), 20 * page);
      expect(found.items.map(({ handle }) => handle)).toEqual(expected);
      expect(expected.length).toBeGreaterThan(0);
    }
  });

  it('counts the grams of its texts, and the first caller does not wait', async () => {
    const models = Array.from({ length: 30 }, (_, index): Model => {
      const [bio, specialty] = index < 12 ? ['needle', ''] : ['dry hay', 'baler'];
      return {
        bot: { id: newId(), handle: `h${index}_x`, display_name: `n${index}`, specialty, bio },
        isListed: true,
        works: [],
      };
    });
    const opened = await open();
    await store(models, opened);
    expect(getGramSample(opened, models.length).texts).toBe(0);
    await vi.waitFor(() => {
      const { texts, counts } = getGramSample(opened, models.length);
      expect(texts).toBe(30);
      const countsOf = (grams: readonly number[]) => grams.map((gram) => counts.get(gram));
      expect(countsOf([...gramsToFind('needle'), ...gramsToFind('hay')])).toEqual([12, 12, 12, 12, 18]);
      expect(countsOf(jointsToFind('dry hay'))).toEqual([18]);
      expect(countsOf(markAsSpecialty(gramsToFind('baler')))).toEqual([18, 18, 18]);
      expect(countsOf(gramsToFind('baler'))).toEqual([18, 18, 18]);
    }, 120_000);
  });

  it('has the same results as a comparison with every text, in the same order, on every page', async () => {
    const random = makeRandom(20_261_121);
    const models = makeModels(4 * searchSampleSize, random);
    const opened = await open();
    await store(models, opened);

    for (let round = 0; round < 150; round += 1) {
      if (round === 75) await pretendManyAgents(opened);
      const q = random.next(2) === 0 ? random.text(random.next(5)) : pickPart(models, random);
      const specialty = random.next(3) === 0 ? random.text(random.next(3)) : '';
      const expected = findInModels(models, q, specialty);
      const page_size = 1 + random.next(50);
      const page = 1 + random.next(Math.ceil(expected.length / page_size) + 1);
      const found = await searchBots(opened, newId(), { q, specialty, page, page_size });

      const what = JSON.stringify({ q, specialty, page, page_size, of: expected.length });
      expect(
        found.items.map(({ handle }) => handle),
        what,
      ).toEqual(expected.slice((page - 1) * page_size, page * page_size));
      expect(found.hasMore, what).toBe(expected.length > page * page_size);
    }
  });
});
