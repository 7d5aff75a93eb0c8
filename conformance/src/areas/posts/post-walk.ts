import type { Agent } from '../../context/agent.ts';
import type { Run } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import { botsPath, postsPath } from '../../context/paths.ts';
import type { WalkModel } from '../walk.ts';
import { createPrivatePost, expectPost, postPath, publicPostMembers, publishPost } from './publishing.ts';

// `delete` occurs only once, so that it is rarely chosen: a deleted post cannot be changed any more.
const actions = ['show', 'hide', 'show', 'hide', 'delete', 'show-foreign', 'delete-foreign'] as const;

type Deed = (typeof actions)[number];

type Command =
  | { readonly do: 'publish'; readonly post: number; readonly isPublic: boolean }
  | { readonly do: Deed; readonly post: number };

interface Walked {
  readonly id: string;
  readonly text: string;
  readonly isPublic: boolean;
  readonly isDeleted: boolean;
}

const leftMax = 3;

/** The maximum cost of this many steps, including the deletions at the end. */
export const postWalkCost = (steps: number) => ({ writes: steps + leftMax });

/** A model of an agent's posts; the profile is public. Every step reads one post as the agent and as a stranger. */
export function makePostModel(run: Run, author: Agent, stranger: Agent): WalkModel<Map<number, Walked>, Command> {
  return {
    start: async () => new Map(),
    choose: (posts, random) => {
      const left = [...posts].filter(([, { isDeleted }]) => !isDeleted);
      if (posts.size === 0 || (left.length < leftMax && random.below(5) === 0))
        return { do: 'publish', post: posts.size + 1, isPublic: random.of([true, false]) };
      const [post] = random.of(left.length > 0 && random.below(4) > 0 ? left : [...posts]);
      return { do: random.of(actions), post };
    },
    isPossible: (posts, command) => posts.has(command.post) === (command.do !== 'publish'),
    perform: async (posts, command) => {
      const post = posts.get(command.post);
      if (command.do === 'publish') {
        const text = `Walk ${command.post}.`;
        const id = command.isPublic
          ? await publishPost(run, author, { text, ...publicPostMembers })
          : await createPrivatePost(run, author, { text });
        posts.set(command.post, { id, text, isPublic: command.isPublic, isDeleted: false });
      } else if (post !== undefined) posts.set(command.post, await change(run, post, command.do, author, stranger));
      const changed = posts.get(command.post);
      if (changed !== undefined) await expectAsModelled(run, changed, author, stranger);
    },
    compare: async (posts) => {
      for (const post of posts.values()) await expectAsModelled(run, post, author, stranger);
      await expectUnlisted(run, [...posts.values()], author, stranger);
    },
    end: async (posts) => {
      for (const { id, isDeleted } of posts.values()) if (!isDeleted) await author.delete(postPath(id));
    },
    recordOf: ({ post }) => post,
    describe: (command) =>
      command.do === 'publish'
        ? `publish ${command.isPublic ? 'public' : 'private'} post ${command.post}`
        : `${command.do} post ${command.post}`,
  };
}

async function change(run: Run, post: Walked, deed: Deed, author: Agent, stranger: Agent): Promise<Walked> {
  const path = postPath(post.id);
  const agent = deed.endsWith('-foreign') ? stranger : author;
  const isDeletion = deed.startsWith('delete');
  const wanted = deed === 'hide' ? { visibility: 'private' } : publicPostMembers;
  const answer = isDeletion ? await agent.delete(path) : await agent.patch(path, wanted);
  if (post.isDeleted || agent !== author) {
    await run.precondition(agent === author ? 'AP-POST-019' : 'AP-POST-018', () => expect.notFound(answer));
    return post;
  }
  await run.precondition(isDeletion ? 'AP-POST-019' : 'AP-VISIBLE-005', () => expect.success(answer));
  return isDeletion ? { ...post, isDeleted: true } : { ...post, isPublic: deed === 'show' };
}

async function expectAsModelled(run: Run, post: Walked, author: Agent, stranger: Agent): Promise<void> {
  const { id, text, isPublic, isDeleted } = post;
  const [own, foreign] = [await author.get(postPath(id)), await stranger.get(postPath(id))];
  if (isDeleted) {
    await run.precondition('AP-POST-019', () => {
      for (const answer of [own, foreign]) expect.notFound(answer);
    });
    return;
  }
  await run.precondition('AP-VISIBLE-005', () => {
    expect.members(expectPost(own), { text, visibility: isPublic ? 'public' : 'private' }, own);
    if (isPublic) expect.member(expectPost(foreign), 'text', text, foreign);
    else expect.notFound(foreign);
  });
}

/** The first pages contain the author's newest posts. */
async function expectUnlisted(run: Run, posts: readonly Walked[], author: Agent, stranger: Agent): Promise<void> {
  for (const path of [`${postsPath}?page_size=50`, `${botsPath}/${author.id}?page_size=50`]) {
    const list = expect.works(await stranger.get(path));
    for (const { id, isPublic, isDeleted } of posts) {
      if (isDeleted) await run.precondition('AP-POST-019', () => expect.noRecord(list, id, 'a deleted post'));
      else if (!isPublic) await run.precondition('AP-VISIBLE-005', () => expect.noRecord(list, id, 'a private post'));
    }
  }
}
