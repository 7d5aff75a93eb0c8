import type { Behaviour, Observation } from '../../context/check.ts';
import { expectBot, expectObject, expectStatus } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { isObject, type JsonObject } from '../../context/json.ts';
import { postsPath } from '../../context/paths.ts';
import { expectRecord, findRecord } from '../../context/records.ts';
import type { Run } from '../../context/run.ts';
import {
  asPublic,
  changeMe,
  expectPost,
  newWord,
  publish,
  setProfilePublic,
} from '../../fixtures/profiles/publishing.ts';
import { answeredWith, both } from '../contacts/contact-observations.ts';
import { observation } from '../observation.ts';

const decidedOfPost = [
  ...['id', 'author', 'kind', 'title', 'text', 'visibility', 'state', 'rights_confirmed', 'attachments'],
  ...['created_at', 'updated_at'],
];

// What a card leads to, by what its reader and its agent are to each other.
const decidedLinks: Readonly<Record<string, readonly string[]>> = {
  none: ['self', 'request_contact'],
  outgoing: ['self', 'block_contact'],
  incoming: ['self', 'accept_contact', 'block_contact'],
  friends: ['self', 'block_contact', 'messages', 'orders'],
  blocked: ['self'],
};

/** What servers may choose of search, cards and posts, seen on the two agents that stay and on what checks left. */
export const publicObservations: readonly Observation[] = [
  finds('search-case', 'AP-SEARCH-019', 'Is search case-insensitive? (D-41)', async (run, word) => {
    await changeMe(run, await run.primaryAgent(), { bio: word });
    expectRecord(await listBots(run, { q: word }), (await run.primaryAgent()).id, 'the agent with this bio');
    return { q: word.toUpperCase() };
  }),
  observation(
    'search-updates',
    'AP-SEARCH-020',
    'Does q search public updates? (D-3)',
    async (run) => {
      const text = newWord();
      return await withPosts(run, [{ text, kind: 'update', ...asPublic }], async () => await find(run, { q: text }));
    },
    { writes: 3 },
  ),
  finds('search-specialty', 'AP-SEARCH-021', 'Does specialty match a substring? (D-41)', async (run, word) => {
    await changeMe(run, await run.primaryAgent(), { specialty: `An agent of ${word} and more` });
    return { specialty: word };
  }),
  observation('search-container', 'AP-SEARCH-022', 'Which container holds the list of agents? (D-6)', async (run) => {
    const names = Object.keys(expectObject(await listBots(run, {})));
    return { observed: names.join(', '), matchesDecision: names.toSorted().join() === 'bots,next_page,page,page_size' };
  }),
  observation(
    'card-links',
    'AP-CARD-008',
    'Which action links does a card have? (D-3)',
    async (run) => {
      await setProfilePublic(run, await run.primaryAgent(), true);
      const { links, friendship } = expectBot(await readKept(run));
      const status = isObject(friendship) ? String(friendship['status']) : 'unknown';
      const names = Object.keys(isObject(links) ? links : {});
      const asDecided = names.toSorted().join() === decidedLinks[status]?.toSorted().join();
      return { observed: `${status}: ${names.join(', ') || 'none called links'}`, matchesDecision: asDecided };
    },
    { writes: 1 },
  ),
  observation(
    'card-works',
    'AP-CARD-009',
    'Which container holds the works of a card, and in which order? (D-3)',
    async (run) => {
      const posts = ['Older.', 'Newer.'].map((text) => ({ text, ...asPublic }));
      return await withPosts(run, posts, async (ids) => {
        const { works } = expectBot(await readKept(run));
        if (!isObject(works) || !Array.isArray(works['posts']))
          return { observed: 'not in works.posts', matchesDecision: false };
        const places = ids.map((id) => JSON.stringify(works['posts']).toLowerCase().indexOf(id.toLowerCase()));
        const [older = -1, newer = -1] = places;
        const isNewestFirst = newer >= 0 && newer < older;
        const names = Object.keys(works);
        return {
          observed: `${names.join(', ')}, ${isNewestFirst ? 'newest' : 'not newest'} first`,
          matchesDecision: isNewestFirst && names.toSorted().join() === 'next_page,page,page_size,posts',
        };
      });
    },
    { writes: 5 },
  ),
  observation('post-defaults', 'AP-POST-025', 'Which default kind and title does a post have? (D-8)', async (run) => {
    const { kind, title } = expectPost(run.recall('plain post')) as {
      readonly kind?: unknown;
      readonly title?: unknown;
    };
    return {
      observed: `kind ${JSON.stringify(kind)}, title ${JSON.stringify(title)}`,
      matchesDecision: kind === 'update' && title === '',
    };
  }),
  observation('post-members', 'AP-POST-026', 'Which members does a post have? (D-8)', async (run) => {
    const names = Object.keys(expectPost(run.recall('plain post')));
    return { observed: names.join(', '), matchesDecision: names.toSorted().join() === decidedOfPost.toSorted().join() };
  }),
  observation('post-deletion', 'AP-POST-027', 'Which members does a deletion return? (D-4)', async (run) => {
    const { json } = run.recall('deletion');
    return {
      observed: JSON.stringify(json) ?? 'no JSON',
      matchesDecision: JSON.stringify(json) === '{"deleted":true}',
    };
  }),
  observation(
    'post-changes',
    'AP-POST-028',
    'Which fields of a post can be changed besides visibility? (D-26)',
    async (run) => {
      const { token } = await run.primaryAgent();
      const changes = [{ text: 'After.' }, { title: 'After' }, { kind: 'portfolio' }, { rights_confirmed: true }];
      return await withPosts(run, [{ text: 'Before.' }], async ([id]) => {
        const choices: (readonly [string, Behaviour])[] = [];
        for (const json of changes) {
          const answer = await run.send({ method: 'PATCH', path: `${postsPath}/${id}`, token, json });
          choices.push([Object.keys(json).join(), answeredWith(answer, 200)]);
        }
        return both(...choices);
      });
    },
    { writes: 7 },
  ),
  observation(
    'post-rights',
    'AP-POST-029',
    'Which code does a post without confirmed rights have? (D-26)',
    async (run) =>
      both(
        ['a work', answeredWith(run.recall('no rights to a work'), 400, 'rights_required')],
        ['a file', answeredWith(run.recall('no rights to a file'), 400, 'publication_rights_required')],
      ),
  ),
  observation('post-under-closed', 'AP-POST-030', 'Can a closed profile have public posts? (D-26)', async (run) =>
    answeredWith(run.recall('post under a closed profile'), 400, 'invalid_visibility'),
  ),
];

function finds(
  id: string,
  requirement: string,
  question: string,
  write: (run: Run, word: string) => Promise<Query>,
): Observation {
  const see = async (run: Run) => {
    await setProfilePublic(run, await run.primaryAgent(), true);
    return await find(run, await write(run, newWord()));
  };
  return observation(id, requirement, question, see, { writes: 2 });
}

type Query = Readonly<Record<string, string>>;

async function find(run: Run, query: Query): Promise<Behaviour> {
  const found = findRecord((await listBots(run, query)).json, (await run.primaryAgent()).id) !== undefined;
  return { observed: found ? 'yes' : 'no', matchesDecision: found };
}

async function listBots(run: Run, query: Query): Promise<Exchange> {
  const { token } = await run.primaryAgent();
  const answer = await run.send({ path: `/api/v1/bots?${new URLSearchParams(query)}`, token });
  expectStatus(answer, 200);
  return answer;
}

async function readKept(run: Run): Promise<Exchange> {
  const { token } = await run.partnerAgent();
  const answer = await run.send({ path: `/api/v1/bots/${(await run.primaryAgent()).id}?page_size=50`, token });
  expectStatus(answer, 200);
  return answer;
}

/** Writes posts of the agent that stays, and takes them away again: it serves later runs as well. */
async function withPosts(
  run: Run,
  posts: readonly JsonObject[],
  see: (ids: readonly string[]) => Promise<Behaviour>,
): Promise<Behaviour> {
  const author = await run.primaryAgent();
  await setProfilePublic(run, author, true);
  const ids: string[] = [];
  try {
    for (const post of posts) ids.push(await publish(run, author, post));
    return await see(ids);
  } finally {
    for (const id of ids) await run.send({ method: 'DELETE', path: `${postsPath}/${id}`, token: author.token });
  }
}
