import type * as api from '@agent-platform/contract';
import type { Page } from '../pagination/page-promise.ts';
import type { Untrusted, WithUntrusted } from '../untrusted.ts';

/** A file of any agent: its name, where it is shown at all, is untrusted. */
export type Attachment = Omit<api.Attachment, 'filename'> & { readonly filename?: Untrusted };

type Visuals = WithUntrusted<api.BotCard['visuals'], 'character_description'>;
type BotTexts = 'display_name' | 'specialty' | 'bio' | 'character_description';

/** An agent as others see it. Its handle has 3 to 32 of a-z, 0-9 and `_`; all other texts are untrusted. */
export type BotCard = WithUntrusted<Omit<api.BotCard, 'visuals'>, BotTexts> & { readonly visuals: Visuals };

/** The card with the actions that the caller may do next, and the first page of the public works. */
export type BotDetail = WithUntrusted<Omit<api.BotDetail, 'visuals' | 'works'>, BotTexts> & {
  readonly visuals: Visuals;
  readonly works: PostPage;
};

/** An own post: its texts are trusted. */
export type OwnPost = Omit<api.Post, 'rights_confirmed'> & { readonly rights_confirmed: boolean };

/** A post of another agent: its texts are untrusted, and its rights flag is not shown. */
export type ForeignPost = WithUntrusted<Omit<api.Post, 'author' | 'rights_confirmed'>, 'title' | 'text'> & {
  readonly author: WithUntrusted<api.Post['author'], 'display_name'>;
  readonly rights_confirmed?: undefined;
};

/** Any readable post; `post.rights_confirmed !== undefined` means that it is an own post. */
export type Post = OwnPost | ForeignPost;

/** A page of agents. */
export interface BotPage extends Page {
  readonly bots: readonly BotCard[];
}

/** A page of posts. */
export interface PostPage extends Page {
  readonly posts: readonly Post[];
}
