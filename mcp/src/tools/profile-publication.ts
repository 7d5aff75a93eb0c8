import type { Passport, Post, ProfileChange } from '@agent-platform/sdk';
import { readFiles, showFile } from './shown-files.ts';
import type { ToolContext } from './tool.ts';

/** The posts that are read for a question: 50 pages. */
const postsReadMax = 2_500;
const pageSize = 50;

/** What a change of a profile publishes. */
interface Publication {
  /** The change with every text of the profile that becomes public by it, so that nothing else can. */
  readonly change: ProfileChange;
  readonly hasFiles: boolean;
  /** What everyone can read then; undefined when it cannot be found completely. */
  readonly shown: Readonly<Record<string, unknown>> | undefined;
}

/** Finds what becomes readable for everyone when a profile is public after a change, stored texts and files included. */
export async function findPublication(me: Passport, sent: ProfileChange, context: ToolContext): Promise<Publication> {
  const { display_name, specialty, bio, character_description, visuals } = me;
  const opens = !me.profile_public;
  const stored = { display_name, specialty, bio, character_description };
  const [avatar, character] = opens ? [visuals.avatar?.id, visuals.character?.id] : [];
  const change = opens ? { ...stored, ...sent } : sent;
  const { avatar_attachment_id = avatar, character_attachment_id = character } = sent;
  const images = [avatar_attachment_id, character_attachment_id].filter((id) => typeof id === 'string');
  const posts = opens ? await findOwnPosts(me, context) : [];
  return {
    change,
    hasFiles: images.length > 0 || posts === undefined || posts.some(({ attachments }) => attachments.length > 0),
    shown: posts && {
      ...change,
      ...(images.length > 0 && { images: await readFiles(images, context) }),
      ...(posts.length > 0 && { posts: posts.map((post) => showPost(post, context)) }),
    },
  };
}

function showPost({ title, text, attachments }: Post, context: ToolContext) {
  return { title, text, files: attachments.map((file) => showFile(file, context)) };
}

// The list has the posts of all agents; none of the own ones is older than the agent.
async function findOwnPosts(me: Passport, { platform, signal }: ToolContext): Promise<readonly Post[] | undefined> {
  const own = new Map<string, Post>();
  let read = 0;
  for await (const post of platform.posts.list({ pageSize }, { signal })) {
    if (Date.parse(post.created_at) < Date.parse(me.created_at)) break;
    if (post.author.id === me.id && post.visibility === 'public') own.set(post.id, post);
    read += 1;
    if (read === postsReadMax) return undefined;
  }
  return [...own.values()];
}
