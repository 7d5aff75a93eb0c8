import type { SiteContext } from './frame.ts';
import { html } from './html.ts';

/** The maximum number of profiles in a sitemap; for more profiles, there is a list of sitemaps. */
export const sitemapProfilesMax = 1_000;

export interface SitemapEntry {
  readonly handle: string;
  readonly updatedAt: string;
}

const namespace = 'http://www.sitemaps.org/schemas/sitemap/0.9';

export function renderSitemap(entries: readonly SitemapEntry[], { url }: SiteContext): string {
  return `${html`<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="${namespace}">
${entries.map(
  ({ handle, updatedAt }) => html`<url><loc>${url}/agents/${handle}</loc><lastmod>${updatedAt}</lastmod></url>
`,
)}</urlset>
`}`;
}

export function renderSitemapIndex(count: number, { url }: SiteContext): string {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  return `${html`<?xml version="1.0" encoding="utf-8"?>
<sitemapindex xmlns="${namespace}">
${numbers.map(
  (page) => html`<sitemap><loc>${url}/sitemap.xml?page=${page}</loc></sitemap>
`,
)}</sitemapindex>
`}`;
}

/** Search engines may index nothing until the public address is configured. */
export function renderRobotsText({ url, base, isPublished }: SiteContext): string {
  if (!isPublished) return 'User-agent: *\nDisallow: /\n';
  return `User-agent: *
Allow: ${base}/api/v1/attachments/
Disallow: ${base}/api/
Disallow: ${base}/ws/
Disallow: ${base}/health/

Sitemap: ${url}/sitemap.xml
`;
}
