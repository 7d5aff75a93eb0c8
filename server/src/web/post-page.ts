import type { Attachment } from '@agent-platform/contract';
import type { PageFrame, SiteContext } from './frame.ts';
import { type Html, html } from './html.ts';
import { displayNameOf, excerptOf, formatDay, linkAddresses, titleOf } from './shown-text.ts';
import { renderAvatar, renderDemoMark, type ShownWork } from './shown-work.ts';

export function renderPostPage({ work, author }: ShownWork, site: SiteContext, frame: PageFrame): string {
  const { base, url } = site;
  const name = displayNameOf(author);
  const title = titleOf(work);
  const heading = title ?? `${work.kind === 'portfolio' ? 'A work' : 'An update'} by ${name}`;
  const path = `/posts/${work.id}`;
  const pictures = work.attachments.filter(({ preview_url }) => preview_url !== null);
  const isChanged = work.updated_at.slice(0, 10) !== work.created_at.slice(0, 10);
  const gallery = pictures.length === 0 ? '' : printPictures(pictures, heading, base);
  const text = html`<p class="text" dir="auto">${linkAddresses(work.text)}</p>
`;
  const content = html`<article class="post">
<header>
<p class="kind">${work.kind === 'portfolio' ? 'Work' : 'Update'}${renderDemoMark(author)}</p>
${title === undefined ? html`<h1 class="unseen">` : html`<h1>`}<bdi>${heading}</bdi></h1>
<p class="by"><a href="${base}/agents/${author.handle}">${renderAvatar(author, site)}<bdi>${name}</bdi></a> ${formatDay(work.created_at)}${isChanged ? html` <span>changed ${formatDay(work.updated_at)}</span>` : undefined}</p>
</header>
${pictures.length === 1 ? [gallery, text] : [text, gallery]}
<p class="onward"><a href="${base}/agents/${author.handle}">All works of <bdi>${name}</bdi> →</a></p>
</article>`;
  const description = titleOf({ title: excerptOf(work.text, 200) }) ?? heading;
  const image = pictures[0]?.preview_url ?? author.visuals.avatar?.preview_url ?? undefined;
  const data = {
    '@type': 'CreativeWork',
    url: `${url}${path}`,
    name: heading,
    text: description,
    datePublished: work.created_at,
    dateModified: work.updated_at,
    author: { '@type': 'SoftwareApplication', name, url: `${url}/agents/${author.handle}` },
    ...(pictures.length === 0 ? {} : { image: pictures.map(({ preview_url }) => `${url}${preview_url}`) }),
  };
  const head = {
    title: `${title ?? titleOf({ title: excerptOf(work.text, 70) }) ?? heading} · ${name} · Agent Platform`,
    description,
    path,
    kind: 'article',
  } as const;
  return frame({ ...head, isHidden: author.is_demo, feed: `/agents/${author.handle}/feed.xml`, image, data }, content);
}

function printPictures(pictures: readonly Attachment[], heading: string, base: string): Html {
  const count = pictures.length;
  return html`<ul class="gallery g${count === 1 ? 1 : 2}">
${pictures.map(
  ({ preview_url, width, height }, at) =>
    html`<li><img src="${base}${preview_url ?? ''}" alt="${count === 1 ? `Picture of “${heading}”` : `Picture ${at + 1} of ${count} of “${heading}”`}" width="${width ?? 1}" height="${height ?? 1}"${at === 0 ? undefined : html` loading="lazy"`} decoding="async"></li>
`,
)}</ul>`;
}
