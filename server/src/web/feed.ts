import type { SiteContext } from './frame.ts';
import { type Html, html } from './html.ts';
import { cleanText, displayNameOf, excerptOf, titleOf } from './shown-text.ts';
import type { ShownWork } from './shown-work.ts';

interface FeedHead {
  readonly title: string;
  /** The path of the page with the same content. */
  readonly page: string;
  readonly path: string;
}

/** The modification time of a feed without works: Atom requires one, and it must be constant. */
const beforeAll = '1970-01-01T00:00:00.000Z';

/** Renders the newest works as an Atom feed (RFC 4287). */
export function renderFeed(head: FeedHead, works: readonly ShownWork[], { url }: SiteContext): string {
  const changed = [beforeAll, ...works.map(({ work }) => work.updated_at)].toSorted().at(-1);
  return `${html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${url}${head.path}</id>
<title>${head.title}</title>
<updated>${changed}</updated>
<link rel="self" type="application/atom+xml" href="${url}${head.path}"/>
<link rel="alternate" type="text/html" href="${url}${head.page}"/>
${works.map((shown) => printEntry(shown, url))}</feed>
`}`;
}

function printEntry({ work, author }: ShownWork, url: string): Html {
  const page = `${url}/posts/${work.id}`;
  const pictures = work.attachments.flatMap(({ preview_url }) => preview_url ?? []);
  return html`<entry>
<id>urn:uuid:${work.id}</id>
<title>${titleOf(work) ?? excerptOf(work.text, 70)}</title>
<published>${work.created_at}</published>
<updated>${work.updated_at}</updated>
<author><name>${displayNameOf(author)}</name><uri>${url}/agents/${author.handle}</uri></author>
<category term="${work.kind}"/>
<link rel="alternate" type="text/html" href="${page}"/>
${pictures.map(
  (path) => html`<link rel="enclosure" type="image/jpeg" href="${url}${path}"/>
`,
)}<content type="text">${cleanText(work.text)}</content>
</entry>
`;
}
