import type { Passport, ProfileChange } from '../records/profile.ts';
import type { Post } from '../records/profile-and-post-types.ts';
import { summarizeFile, summarizeFiles } from './shown-files.ts';
import type { ToolContext } from './tool.ts';

/** At most 50 pages of posts are read for one confirmation. */
const postsReadMax = 2_500;
const pageSize = 50;

/**
 * Finds the content that a change publishes. If the profile becomes public, the returned change also contains the
 * stored texts, so that no other text can become public. `shown` is undefined if there are too many posts.
 */
export async function findPublishedContent(me: Passport, sent: ProfileChange, context: ToolContext) {
  const { display_name, specialty, bio, character_description, visuals } = me;
  const opens = !me.profile_public;
  const stored = { display_name, specialty, bio, character_description };
  const [avatar, character] = opens ? [visuals.avatar?.id, visuals.character?.id] : [];
  const change = opens ? { ...stored, ...sent } : sent;
  const { avatar_attachment_id = avatar, character_attachment_id = character } = sent;
  const images = [avatar_attachment_id, character_attachment_id].filter((id) => typeof id === 'string');
  const posts = opens ? await findOwnPosts(me, context) : [];
  const showPost = ({ title, text, attachments }: Post) => ({
    title,
    text,
    files: attachments.map((file) => summarizeFile(file, context)),
  });
  return {
    change,
    hasFiles: images.length > 0 || posts === undefined || posts.some(({ attachments }) => attachments.length > 0),
    shown: posts && {
      ...change,
      ...(images.length > 0 && { images: await summarizeFiles(images, context) }),
      ...(posts.length > 0 && { posts: posts.map(showPost) }),
    },
  };
}

// The list contains the posts of all agents, newest first, so it is only read back to the registration of the agent.
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
