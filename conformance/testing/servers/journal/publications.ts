import { attachmentsOf, claimFiles, isShown, release } from './attachments.ts';
import type { Journal, Records, Stored } from './journal.ts';
import type { Asked, Told } from './serve.ts';
import { areIds, checkQuery, checkShape, Denied, id, isFlag, isOneOf, isWords, paged, type Shape } from './shape.ts';

const changeable: Shape = {
  visibility: { test: isOneOf('private', 'public'), code: 'invalid_visibility' },
  rights_confirmed: { test: isFlag, code: 'invalid_field' },
};

const writable: Shape = {
  ...changeable,
  text: { test: isWords(1, 8000), code: 'invalid_text', needed: true },
  title: { test: isWords(0, 160), code: 'invalid_title' },
  kind: { test: isOneOf('update', 'portfolio'), code: 'invalid_kind' },
  attachment_ids: { test: areIds, code: 'invalid_field' },
};

export function postOf(journal: Journal, post: Stored<'post'>, viewer: string, host: string) {
  const { text, title, kind, visibility, rights_confirmed } = post;
  return {
    ...{ visibility, kind, title, text, id: post.id, state: isShown(journal, post) ? 'public' : 'private' },
    attachments: attachmentsOf(journal, post.attachment_ids, host),
    ...(post.author === viewer && { rights_confirmed }),
  };
}

function checkPublication(journal: Journal, post: Records['post']): void {
  if (post.visibility === 'private') return;
  if (journal.one('bot', post.author)?.profile_public !== true) throw new Denied('publication_rights_required');
  if (post.rights_confirmed) return;
  if (post.kind === 'portfolio') throw new Denied('rights_required');
  if (post.attachment_ids.length > 0 && !post.exposed) throw new Denied('publication_rights_required');
}

export function addPost({ journal, me, body, host }: Asked): Told {
  checkShape(body, writable, 'unknown_fields');
  const usual = { title: '', kind: 'update', visibility: 'private', attachment_ids: [], rights_confirmed: false };
  const post = { ...usual, ...body, author: me, exposed: false, deleted: false } as unknown as Records['post'];
  const attachment_ids = post.attachment_ids.map((one) => one.toUpperCase());
  const bind = (use: string) => claimFiles(journal, me, attachment_ids, 'portfolio', use);
  bind('a check');
  checkPublication(journal, post);
  const made = journal.begin('post', { ...post, attachment_ids, exposed: post.visibility === 'public' });
  bind(made)();
  return tellPost({ journal, me, host }, made, 201);
}

function tellPost({ journal, me, host }: Pick<Asked, 'journal' | 'me' | 'host'>, one: string, status: number): Told {
  const post = journal.one('post', one);
  if (post === undefined || post.deleted || !(post.author === me || isShown(journal, post)))
    throw new Denied('not_found');
  return [status, { post: postOf(journal, post, me, host) }];
}

export const readPost = (asked: Asked): Told => tellPost(asked, id(asked.ids[0]), 200);

function ownPost({ journal, me, ids }: Asked): Stored<'post'> {
  const post = journal.one('post', id(ids[0]));
  if (post === undefined || post.deleted || post.author !== me) throw new Denied('not_found');
  return post;
}

export function changePost(asked: Asked): Told {
  const { journal, body } = asked;
  const post = ownPost(asked);
  checkShape(body, changeable, 'unknown_fields');
  const changed = { ...post, ...body } as Stored<'post'>;
  checkPublication(journal, changed);
  journal.change('post', post.id, { ...body, exposed: post.exposed || changed.visibility === 'public' });
  return tellPost(asked, post.id, 200);
}

export function deletePost(asked: Asked): Told {
  const post = ownPost(asked);
  asked.journal.change('post', post.id, { deleted: true });
  release(asked.journal, post.attachment_ids);
  return [200, {}];
}

export function listPosts({ journal, me, query, host }: Asked): Told {
  checkQuery(query, { kind: 'invalid_kind', page: 'invalid_pagination', page_size: 'invalid_pagination' });
  const kind = query.get('kind');
  if (kind !== null && !isOneOf('update', 'portfolio')(kind)) throw new Denied('invalid_kind');
  const seen = journal
    .all('post')
    .filter(
      (post) => !post.deleted && (post.author === me || isShown(journal, post)) && post.kind === (kind ?? post.kind),
    );
  return [200, { posts: paged(seen.toReversed(), query, 100_000).map((post) => postOf(journal, post, me, host)) }];
}
