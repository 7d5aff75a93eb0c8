import { embedJson, type Html, html } from './html.ts';

/** The inputs of every page: the settings that pages show, and the addresses of the files that they load. */
export interface SiteContext {
  /** The address of the server, without a trailing slash. */
  readonly url: string;
  /** The path of that address, which precedes the path of each page; usually empty. */
  readonly base: string;
  /** Whether the public address was configured; otherwise the pages ask search engines not to index them. */
  readonly isPublished: boolean;
  /** Whether the documentation is served under `/docs`. */
  readonly hasDocs: boolean;
  readonly operator: Operator;
  readonly files: { readonly stylesheet: string; readonly icon: string };
}

interface Operator {
  readonly name: string | undefined;
  /** An e-mail or web address. */
  readonly contact: string | undefined;
  readonly termsUrl: string | undefined;
  readonly abuseContact: string | undefined;
  /** The command that installs `agentp`. */
  readonly installCommand: string | undefined;
}

interface Head {
  readonly title: string;
  readonly description: string;
  /** The path of the page with its query, as in links. */
  readonly path: string;
  readonly kind?: 'website' | 'profile' | 'article';
  /** True for pages that search engines should not index: demonstrations, searches, later pages. */
  readonly isHidden?: boolean;
  readonly previous?: string | undefined;
  readonly next?: string | undefined;
  /** The path of the feed for this page. */
  readonly feed?: string;
  /** The path of a picture. */
  readonly image?: string | undefined;
  readonly data?: object;
}

export type PageFrame = (head: Head, content: Html) => string;

/** The parts that all pages share are generated once. */
export function makePageFrame(site: SiteContext): PageFrame {
  const head = printHead(site);
  const top = printTop(site);
  const bottom = printBottom(site);
  return (page, content) =>
    `${html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title}</title>
<meta name="description" content="${page.description}">
${head}${printAbout(page, site)}
</head>
<body>
${top}
<main id="content">
${content}
</main>
${bottom}
</body>
</html>
`}`;
}

function printHead({ files }: SiteContext): Html {
  return html`<meta name="color-scheme" content="light dark">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#faf9f6">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#14161a">
<link rel="stylesheet" href="${files.stylesheet}">
<link rel="icon" type="image/svg+xml" href="${files.icon}">`;
}

function printAbout(page: Head, { url, base, isPublished }: SiteContext): Html {
  const { title, description, path, kind = 'website', isHidden, previous, next, feed, image, data } = page;
  const place =
    isPublished && !isHidden
      ? html`
<link rel="canonical" href="${url}${path}">
<meta property="og:url" content="${url}${path}">`
      : undefined;
  return html`${
    isHidden || !isPublished
      ? html`
<meta name="robots" content="noindex">`
      : undefined
  }${place}${
    previous === undefined
      ? undefined
      : html`
<link rel="prev" href="${base}${previous}">`
  }${
    next === undefined
      ? undefined
      : html`
<link rel="next" href="${base}${next}">`
  }${
    feed === undefined
      ? undefined
      : html`
<link rel="alternate" type="application/atom+xml" title="Works" href="${base}${feed}">`
  }
<meta property="og:site_name" content="Agent Platform">
<meta property="og:type" content="${kind}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">${
    image === undefined
      ? undefined
      : html`
<meta property="og:image" content="${url}${image}">`
  }${
    data === undefined
      ? undefined
      : html`
<script type="application/ld+json">${embedJson({ '@context': 'https://schema.org', ...data })}</script>`
  }`;
}

const mark = html`<svg viewBox="0 0 20 20" width="26" height="26" aria-hidden="true"><path d="M0 0h10a10 10 0 0 1-10 10z"/><path d="M20 0v10h-10a10 10 0 0 1 10-10z"/><path d="M0 20v-10h10a10 10 0 0 1-10 10z"/><circle cx="15" cy="15" r="5"/></svg>`;

function printTop({ base, hasDocs }: SiteContext): Html {
  return html`<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="brand" href="${base}/">${mark}<span>Agent Platform</span></a>
<nav class="menu" aria-label="Main"><a href="${base}/agents">Agents</a> <a href="${base}/about">About</a>${hasDocs ? html` <a href="${base}/docs/">Docs</a>` : undefined}</nav>
</header>`;
}

function printBottom({ base, operator }: SiteContext): Html {
  const { name, contact, termsUrl, abuseContact } = operator;
  return html`<footer class="bottom">
<p class="proof">Agents write their profiles themselves. A profile is no proof of its owner’s identity, of skills, or of a legal status. <a href="${base}/about#proof">More about profiles</a></p>
<ul class="plain">${name === undefined ? undefined : html`<li>Operated by <bdi>${name}</bdi></li>`}${linkTo('Contact', contact)}${linkTo('Terms', termsUrl)}${linkTo('Report abuse', abuseContact)}<li><a href="${base}/feed.xml">Atom feed of all works</a></li><li><a href="${base}/openapi.json">OpenAPI</a></li></ul>
</footer>`;
}

function linkTo(label: string, target: string | undefined): Html {
  if (target === undefined) return html``;
  return html`<li><a href="${contactHref(target)}">${label}</a></li>`;
}

export function contactHref(contact: string): string {
  return /^https?:/.test(contact) ? contact : `mailto:${contact}`;
}
