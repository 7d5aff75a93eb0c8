import type { Agent } from '../../context/agent.ts';
import { type Observation, type ObservedBehaviour, primaryAgent, type Run } from '../../context/check.ts';
import { expect, findRecord } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { isObject, type JsonObject } from '../../context/json.ts';
import { botsPath } from '../../context/paths.ts';
import {
  combineBehaviours,
  compareAnswer,
  compareMemberNames,
  openQuestion,
  startFromRun,
  withStart,
} from '../observation.ts';
import { type SearchQuery, searchAgents } from '../profiles/search.ts';
import { postsUnderClosedProfile, postWithoutFileRights, worksWithoutRights } from './post-visibility.ts';
import { plainPost, postDeletion } from './posts.ts';
import {
  changeProfile,
  expectPost,
  makeUniqueWord,
  postPath,
  publicPostMembers,
  publishPost,
  setProfilePublic,
} from './publishing.ts';

const decidedOfPost = [
  ...['id', 'author', 'kind', 'title', 'text', 'visibility', 'state', 'rights_confirmed', 'attachments'],
  ...['created_at', 'updated_at'],
];

// The action links of a card, by the relation between the reader and the agent that the card describes.
const decidedLinks: Readonly<Record<string, readonly string[]>> = {
  none: ['self', 'request_contact'],
  outgoing: ['self', 'block_contact'],
  incoming: ['self', 'accept_contact', 'block_contact'],
  friends: ['self', 'block_contact', 'messages', 'orders'],
  blocked: ['self'],
};

export const publicObservations: readonly Observation[] = [
  ...withStart(primaryAgent, { cost: { writes: 3 } }, [
    found('search-case', 'AP-SEARCH-019', 'Is search case-insensitive?', async (run, agent, word) => {
      await changeProfile(run, agent, { bio: word });
      expect.record(await searchAgents(run, { q: word }), agent.id, 'the agent with this bio');
      return { q: word.toUpperCase() };
    }),
    openQuestion('search-updates', 'AP-SEARCH-020', 'Does q search public updates?', (_agent, run) => {
      const text = makeUniqueWord(run);
      return withPosts(run, [{ text, kind: 'update', ...publicPostMembers }], () => isFound(run, { q: text }));
    }),
    found('search-specialty', 'AP-SEARCH-021', 'Does specialty match a substring?', async (run, agent, word) => {
      await changeProfile(run, agent, { specialty: `An agent of ${word} and more` });
      return { specialty: word };
    }),
  ]),
  ...withStart(startFromRun, {}, [
    openQuestion('search-container', 'AP-SEARCH-022', 'Which container holds the list of agents?', async (run) =>
      compareMemberNames(expect.object(await searchAgents(run, {})), ['bots', 'next_page', 'page', 'page_size']),
    ),
  ]),
  ...withStart(primaryAgent, { cost: { writes: 5 } }, [
    openQuestion('card-links', 'AP-CARD-008', 'Which action links does a card have?', async (agent, run) => {
      await setProfilePublic(run, agent, true);
      const { links, friendship } = expect.bot(await readCard(run));
      const status = isObject(friendship) ? String(friendship['status']) : 'unknown';
      const { observed, matchesDecision } = compareMemberNames(
        isObject(links) ? links : {},
        decidedLinks[status] ?? [],
      );
      return { observed: `${status}: ${observed || 'no member links'}`, matchesDecision };
    }),
    openQuestion(
      'card-works',
      'AP-CARD-009',
      'Which container holds the works of a card, and in which order?',
      async (_agent, run) => {
        const posts = ['Older.', 'Newer.'].map((text) => ({ text, ...publicPostMembers }));
        return await withPosts(run, posts, async (ids) => {
          const { works } = expect.bot(await readCard(run));
          const list = isObject(works) && Array.isArray(works['posts']) ? works['posts'] : undefined;
          if (!isObject(works) || list === undefined) return { observed: 'not in works.posts', matchesDecision: false };
          const [older = -1, newer = -1] = ids.map((id) =>
            list.findIndex((post) => findRecord(post, id) !== undefined),
          );
          const isNewestFirst = newer >= 0 && newer < older;
          const names = compareMemberNames(works, ['next_page', 'page', 'page_size', 'posts']);
          return {
            observed: `${names.observed}, ${isNewestFirst ? 'newest' : 'not newest'} first`,
            matchesDecision: isNewestFirst && names.matchesDecision,
          };
        });
      },
    ),
  ]),
  ...withStart(plainPost, {}, [
    openQuestion('post-defaults', 'AP-POST-025', 'Which default kind and title does a post have?', ({ read }) => {
      const { kind, title } = expectPost(read) as Readonly<Record<string, unknown>>;
      const observed = `kind ${JSON.stringify(kind)}, title ${JSON.stringify(title)}`;
      return { observed, matchesDecision: kind === 'update' && title === '' };
    }),
    openQuestion('post-members', 'AP-POST-026', 'Which members does a post have?', ({ read }) =>
      compareMemberNames(expectPost(read), decidedOfPost),
    ),
  ]),
  ...withStart(postDeletion, {}, [
    openQuestion('post-deletion', 'AP-POST-027', 'Which members does a deletion return?', ({ answer }) => {
      const observed = JSON.stringify(answer.json) ?? 'no JSON';
      return { observed, matchesDecision: observed === '{"deleted":true}' };
    }),
  ]),
  ...withStart(primaryAgent, { cost: { writes: 7 } }, [
    openQuestion('post-changes', 'AP-POST-028', 'Which members other than visibility can change?', (author, run) =>
      withPosts(run, [{ text: 'Before.' }], async ([id = '']) => {
        const behaviours: Record<string, ObservedBehaviour> = {};
        const changes = { text: 'After.', title: 'After', kind: 'portfolio', rights_confirmed: true };
        for (const [name, value] of Object.entries(changes))
          behaviours[name] = await compareAnswer(author.patch(postPath(id), { [name]: value }), '200');
        return await combineBehaviours(behaviours);
      }),
    ),
  ]),
  ...withStart(worksWithoutRights, { fixtures: [postWithoutFileRights] }, [
    openQuestion(
      'post-rights',
      'AP-POST-029',
      'Which code does a post without confirmed rights have?',
      async ([, work], run) =>
        combineBehaviours({
          'a work': compareAnswer(work, '400 rights_required'),
          'a file': compareAnswer((await postWithoutFileRights(run)).answer, '400 publication_rights_required'),
        }),
    ),
  ]),
  ...withStart(postsUnderClosedProfile, {}, [
    openQuestion('post-under-closed', 'AP-POST-030', 'Can a private profile have public posts?', ({ answers }) =>
      compareAnswer(answers[1], '400 invalid_visibility'),
    ),
  ]),
];

function found(
  id: string,
  requirement: string,
  question: string,
  write: (run: Run, agent: Agent, word: string) => Promise<SearchQuery>,
) {
  return openQuestion<Agent>(id, requirement, question, async (agent, run) => {
    await setProfilePublic(run, agent, true);
    return await isFound(run, await write(run, agent, makeUniqueWord(run)));
  });
}

async function isFound(run: Run, query: SearchQuery): Promise<ObservedBehaviour> {
  const record = findRecord((await searchAgents(run, query)).json, (await run.primaryAgent()).id);
  return { observed: record === undefined ? 'no' : 'yes', matchesDecision: record !== undefined };
}

async function readCard(run: Run): Promise<Exchange> {
  const { id } = await run.primaryAgent();
  return expect.status(await (await run.partnerAgent()).get(`${botsPath}/${id}?page_size=50`), 200);
}

/** Deletes the posts afterwards, because later runs reuse the agent. */
async function withPosts(
  run: Run,
  posts: readonly JsonObject[],
  observe: (ids: readonly string[]) => Promise<ObservedBehaviour>,
): Promise<ObservedBehaviour> {
  const author = await run.primaryAgent();
  await setProfilePublic(run, author, true);
  const ids: string[] = [];
  try {
    for (const post of posts) ids.push(await publishPost(run, author, post));
    return await observe(ids);
  } finally {
    for (const id of ids) await author.delete(postPath(id));
  }
}
