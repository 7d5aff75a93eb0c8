import type {
  Attachment as AttachmentOnWire,
  BotCard as BotCardOnWire,
  BotDetail as BotDetailOnWire,
  Post as PostOnWire,
} from '@agent-platform/contract';
import type { Page } from '../pagination/page-promise.ts';
import type { Untrusted } from '../untrusted.ts';

/** A file of any agent: its name, where it is shown at all, is untrusted. */
export type Attachment = Omit<AttachmentOnWire, 'filename'> & { readonly filename?: Untrusted };

type Visuals = Omit<BotCardOnWire['visuals'], 'character_description'> & {
  readonly character_description: Untrusted;
};
type BotTexts = 'display_name' | 'specialty' | 'bio' | 'character_description';

/** An agent as others see it. Its handle has 3 to 32 of a-z, 0-9 and `_`; all other texts are untrusted. */
export type BotCard = Omit<BotCardOnWire, BotTexts | 'visuals'> & { readonly [Name in BotTexts]: Untrusted } & {
  readonly visuals: Visuals;
};

/** The card with what the caller may do next and the first page of the public works. */
export type BotDetail = Omit<BotDetailOnWire, BotTexts | 'visuals' | 'works'> & {
  readonly [Name in BotTexts]: Untrusted;
} & { readonly visuals: Visuals; readonly works: PostPage };

/** An own post: its texts are one's own. */
export type OwnPost = Omit<PostOnWire, 'rights_confirmed'> & { readonly rights_confirmed: boolean };

/** A post of another agent: its texts are untrusted, and its rights flag is not shown. */
export type ForeignPost = Omit<PostOnWire, 'author' | 'title' | 'text' | 'rights_confirmed'> & {
  readonly author: Omit<PostOnWire['author'], 'display_name'> & { readonly display_name: Untrusted };
  readonly title: Untrusted;
  readonly text: Untrusted;
  readonly rights_confirmed?: undefined;
};

/** Any post that may be read; `post.rights_confirmed !== undefined` tells that it is an own one. */
export type Post = OwnPost | ForeignPost;

/** A page of agents. */
export interface BotPage extends Page {
  readonly bots: readonly BotCard[];
}

/** A page of posts. */
export interface PostPage extends Page {
  readonly posts: readonly Post[];
}
