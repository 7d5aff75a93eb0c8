import type { Behaviour, Observation } from '../../context/check.ts';
import { expect, findRecord } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { isObject, type JsonObject } from '../../context/json.ts';
import { botsPath } from '../../context/paths.ts';
import type { Run } from '../../context/run.ts';
import { asPublic, expectPost, postPath, publish } from '../../fixtures/profiles/posts.ts';
import { changeProfile, newWord, setProfilePublic } from '../../fixtures/profiles/profiles.ts';
import { answerTo, combine, compareAnswer, compareNames, observation, withCommon } from '../observation.ts';
import { fileWithoutRights, postsUnderClosedProfile, worksWithoutRights } from './post-visibility.ts';
import { deletion, plainPost } from './posts.ts';

const decidedOfPost = [
  ...['id', 'author', 'kind', 'title', 'text', 'visibility', 'state', 'rights_confirmed', 'attachments'],
  ...['created_at', 'updated_at'],
];

// The links of a card, by the relation of its reader to its agent.
const decidedLinks: Readonly<Record<string, readonly string[]>> = {
  none: ['self', 'request_contact'],
  outgoing: ['self', 'block_contact'],
  incoming: ['self', 'accept_contact', 'block_contact'],
  friends: ['self', 'block_contact', 'messages', 'orders'],
  blocked: ['self'],
};

/** Open behaviour of search, cards and posts, observed on the agents of the pool. */
export const publicObservations: readonly Observation[] = [
  ...withCommon({ cost: { writes: 3 } }, [
    found('search-case', 'AP-SEARCH-019', 'Is search case-insensitive? (D-41)', async (run, word) => {
      const agent = await run.primaryAgent();
      await changeProfile(agent, { bio: word });
      expect.record(await listBots(run, { q: word }), agent.id, 'the agent with this bio');
      return { q: word.toUpperCase() };
    }),
    observation('search-updates', 'AP-SEARCH-020', 'Does q search public updates? (D-3)', async (run) => {
      const text = newWord();
      return await withPosts(run, [{ text, kind: 'update', ...asPublic }], () => isFound(run, { q: text }));
    }),
    found('search-specialty', 'AP-SEARCH-021', 'Does specialty match a substring? (D-41)', async (run, word) => {
      await changeProfile(await run.primaryAgent(), { specialty: `An agent of ${word} and more` });
      return { specialty: word };
    }),
  ]),
  observation('search-container', 'AP-SEARCH-022', 'Which container holds the list of agents? (D-6)', async (run) =>
    compareNames(Object.keys(expect.object(await listBots(run, {}))), ['bots', 'next_page', 'page', 'page_size']),
  ),
  ...withCommon({ cost: { writes: 5 } }, [
    observation('card-links', 'AP-CARD-008', 'Which action links does a card have? (D-3)', async (run) => {
      await setProfilePublic(await run.primaryAgent(), true);
      const { links, friendship } = expect.bot(await readCard(run));
      const status = isObject(friendship) ? String(friendship['status']) : 'unknown';
      const names = Object.keys(isObject(links) ? links : {});
      const { matchesDecision } = compareNames(names, decidedLinks[status] ?? []);
      return { observed: `${status}: ${names.join(', ') || 'no member links'}`, matchesDecision };
    }),
    observation(
      'card-works',
      'AP-CARD-009',
      'Which container holds the works of a card, and in which order? (D-3)',
      async (run) => {
        const posts = ['Older.', 'Newer.'].map((text) => ({ text, ...asPublic }));
        return await withPosts(run, posts, async (ids) => {
          const { works } = expect.bot(await readCard(run));
          const list = isObject(works) && Array.isArray(works['posts']) ? works['posts'] : undefined;
          if (!isObject(works) || list === undefined) return { observed: 'not in works.posts', matchesDecision: false };
          const [older = -1, newer = -1] = ids.map((id) =>
            list.findIndex((post) => findRecord(post, id) !== undefined),
          );
          const isNewestFirst = newer >= 0 && newer < older;
          const names = compareNames(Object.keys(works), ['next_page', 'page', 'page_size', 'posts']);
          return {
            observed: `${names.observed}, ${isNewestFirst ? 'newest' : 'not newest'} first`,
            matchesDecision: isNewestFirst && names.matchesDecision,
          };
        });
      },
    ),
  ]),
  ...withCommon({ fixtures: [plainPost] }, [
    observation('post-defaults', 'AP-POST-025', 'Which default kind and title does a post have? (D-8)', async (run) => {
      const { kind, title } = expectPost((await plainPost(run)).read) as Readonly<Record<string, unknown>>;
      const observed = `kind ${JSON.stringify(kind)}, title ${JSON.stringify(title)}`;
      return { observed, matchesDecision: kind === 'update' && title === '' };
    }),
    observation('post-members', 'AP-POST-026', 'Which members does a post have? (D-8)', async (run) =>
      compareNames(Object.keys(expectPost((await plainPost(run)).read)), decidedOfPost),
    ),
  ]),
  ...withCommon({ fixtures: [deletion] }, [
    observation('post-deletion', 'AP-POST-027', 'Which members does a deletion return? (D-4)', async (run) => {
      const observed = JSON.stringify((await deletion(run)).answer.json) ?? 'no JSON';
      return { observed, matchesDecision: observed === '{"deleted":true}' };
    }),
  ]),
  ...withCommon({ cost: { writes: 7 } }, [
    observation('post-changes', 'AP-POST-028', 'Which members can change beside visibility? (D-26)', async (run) =>
      withPosts(run, [{ text: 'Before.' }], async ([id = '']) => {
        const author = await run.primaryAgent();
        const behaviours: Record<string, Behaviour> = {};
        for (const change of [
          { text: 'After.' },
          { title: 'After' },
          { kind: 'portfolio' },
          { rights_confirmed: true },
        ])
          behaviours[Object.keys(change).join()] = compareAnswer(await author.patch(postPath(id), change), '200');
        return combine(behaviours);
      }),
    ),
  ]),
  ...withCommon({ fixtures: [worksWithoutRights, fileWithoutRights] }, [
    observation('post-rights', 'AP-POST-029', 'Which code has a post without confirmed rights? (D-26)', async (run) =>
      combine({
        'a work': compareAnswer((await worksWithoutRights(run))[1], '400 rights_required'),
        'a file': compareAnswer((await fileWithoutRights(run)).answer, '400 publication_rights_required'),
      }),
    ),
  ]),
  ...withCommon({ fixtures: [postsUnderClosedProfile] }, [
    answerTo(
      'post-under-closed',
      'AP-POST-030',
      'Can a closed profile have public posts? (D-26)',
      '400 invalid_visibility',
      async (run) => (await postsUnderClosedProfile(run)).answers[1],
    ),
  ]),
];

type Query = Readonly<Record<string, string>>;

function found(
  id: string,
  requirement: string,
  question: string,
  write: (run: Run, word: string) => Promise<Query>,
): Observation {
  return observation(id, requirement, question, async (run) => {
    await setProfilePublic(await run.primaryAgent(), true);
    return await isFound(run, await write(run, newWord()));
  });
}

async function isFound(run: Run, query: Query): Promise<Behaviour> {
  const record = findRecord((await listBots(run, query)).json, (await run.primaryAgent()).id);
  return { observed: record === undefined ? 'no' : 'yes', matchesDecision: record !== undefined };
}

async function listBots(run: Run, query: Query): Promise<Exchange> {
  const answer = await (await run.primaryAgent()).get(`${botsPath}?${new URLSearchParams(query)}`);
  return expect.status(answer, 200);
}

async function readCard(run: Run): Promise<Exchange> {
  const { id } = await run.primaryAgent();
  return expect.status(await (await run.partnerAgent()).get(`${botsPath}/${id}?page_size=50`), 200);
}

/** Publishes posts of the primary agent and deletes them afterwards, as the agent serves later runs. */
async function withPosts(
  run: Run,
  posts: readonly JsonObject[],
  observe: (ids: readonly string[]) => Promise<Behaviour>,
): Promise<Behaviour> {
  const author = await run.primaryAgent();
  await setProfilePublic(author, true);
  const ids: string[] = [];
  try {
    for (const post of posts) ids.push(await publish(author, post));
    return await observe(ids);
  } finally {
    for (const id of ids) await author.delete(postPath(id));
  }
}
