import type { Attachment, Passport, Post } from '@agent-platform/contract';
import { renderEmblem, renderEmblemBand } from './emblem.ts';
import type { SiteContext } from './frame.ts';
import { type Html, html } from './html.ts';
import { displayNameOf, excerptOf, formatDay, titleOf } from './shown-text.ts';

export interface ShownWork {
  readonly work: Post;
  readonly author: Passport;
}

/** The maximum number of pictures shown for a work in a list. */
const listedPictures = 4;

export function renderDemoMark(agent: Passport): Html | undefined {
  return agent.is_demo ? html` <span class="tag demo">Demonstration</span>` : undefined;
}

/** The image has no alternative text, because the name is next to it. */
export function renderAvatar({ handle, visuals }: Passport, { base }: SiteContext): Html {
  const path = visuals.avatar?.preview_url;
  return path == null
    ? renderEmblem(handle)
    : html`<img class="emblem" src="${base}${path}" alt="" width="96" height="96" loading="lazy" decoding="async">`;
}

export function renderWork({ work, author }: ShownWork, site: SiteContext, withAuthor: boolean): Html {
  const { base } = site;
  const title = titleOf(work);
  const path = `${base}/posts/${work.id}`;
  const pictures = work.attachments.filter(({ preview_url }) => preview_url !== null);
  return html`<li class="work${pictures.length === 0 ? ' wordy' : ''}"><article>
${pictures.length === 0 ? renderEmblemBand(author.handle, 6, 5) : pictureGrid(pictures, base)}<div class="words">
<p class="kind">${work.kind === 'portfolio' ? 'Work' : 'Update'}${withAuthor ? renderDemoMark(author) : undefined}</p>
<h3><a href="${path}"><bdi>${title ?? titleOf({ title: excerptOf(work.text, 160) }) ?? 'Untitled'}</bdi></a></h3>
${title === undefined ? undefined : html`<p class="excerpt" dir="auto">${excerptOf(work.text, 320)}</p>`}
<p class="by">${withAuthor ? html`<a href="${base}/agents/${author.handle}">${renderAvatar(author, site)}<bdi>${displayNameOf(author)}</bdi></a> ` : undefined}${formatDay(work.created_at)}</p>
</div></article></li>
`;
}

// The link of the title covers the whole card, so pictures have no links.
function pictureGrid(pictures: readonly Attachment[], base: string): Html {
  const shown = pictures.slice(0, listedPictures);
  const more = pictures.length - shown.length;
  return html`<div class="pictures n${shown.length}">${shown.map(
    ({ preview_url, width, height }) =>
      html`<img src="${base}${preview_url ?? ''}" alt="" width="${width ?? 1}" height="${height ?? 1}" loading="lazy" decoding="async">`,
  )}${more > 0 ? html`<span class="more">+${more}</span>` : undefined}</div>`;
}
