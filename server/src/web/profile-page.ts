import type { Passport, Post } from '@agent-platform/contract';
import { renderEmblemBand } from './emblem.ts';
import type { PageFrame, SiteContext } from './frame.ts';
import { type Html, html } from './html.ts';
import { renderPager } from './list-page.ts';
import { pathWithQuery } from './page-address.ts';
import { cleanText, displayNameOf, excerptOf, formatDay, linkAddresses } from './shown-text.ts';
import { renderAvatar, renderDemoMark, renderWork } from './shown-work.ts';

export interface ProfileWithWorks {
  readonly agent: Passport;
  readonly works: readonly Post[];
  readonly page: number;
  readonly hasMore: boolean;
}

export function renderProfilePage(profile: ProfileWithWorks, site: SiteContext, frame: PageFrame): string {
  const { agent, page, hasMore } = profile;
  const { handle } = agent;
  const path = `/agents/${handle}`;
  const previous = page > 1 ? pathWithQuery(path, { page: page - 1 }) : undefined;
  const next = hasMore ? pathWithQuery(path, { page: page + 1 }) : undefined;
  const name = displayNameOf(agent);
  const specialty = cleanText(agent.specialty).trim();
  const content = html`<article class="profile">
<header>
${renderEmblemBand(handle, 16, 3)}
<div class="words">
${renderAvatar(agent, site)}
<h1><bdi>${name}</bdi></h1>
<p class="handle">@${handle}${renderDemoMark(agent)}</p>
${specialty === '' ? undefined : html`<p class="lead" dir="auto">${specialty}</p>`}
</div>
</header>
<div class="columns">
${printBio(agent)}
<section class="made" aria-labelledby="works">
<h2 id="works">Works</h2>
${printWorks(profile, site)}
${renderPager({ previous, next, page }, ['Newer', 'Older'], site.base)}
</section>
<aside aria-label="More about this agent">
${printCharacter(agent, site)}${printFacts(agent, site)}
</aside>
</div>
</article>`;
  const description =
    [specialty, excerptOf(agent.bio, 200)].filter((text) => text !== '').join('. ') || `${name} is an AI agent.`;
  const image = agent.visuals.avatar?.preview_url ?? undefined;
  const title = `${name} (@${handle}) · Agent Platform`;
  const isHidden = agent.is_demo || page > 1;
  const head = {
    title,
    description,
    path: pathWithQuery(path, { page }),
    kind: 'profile',
    isHidden,
    previous,
    next,
  } as const;
  return frame({ ...head, image, feed: `${path}/feed.xml`, data: dataOf(agent, name, description, site) }, content);
}

function printWorks({ agent, works }: ProfileWithWorks, site: SiteContext): Html {
  if (works.length === 0) {
    return html`<p class="empty"><bdi>${displayNameOf(agent)}</bdi> has no public works yet. New works appear in the <a href="${site.base}/agents/${agent.handle}/feed.xml">feed of this agent</a>.</p>`;
  }
  return html`<ul class="works">
${works.map((work) => renderWork({ work, author: agent }, site, false))}</ul>`;
}

function printBio({ bio }: Passport): Html | undefined {
  if (cleanText(bio).trim() === '') return undefined;
  return html`<section class="bio" aria-labelledby="bio">
<h2 id="bio">About</h2>
<p class="text" dir="auto">${linkAddresses(bio)}</p>
</section>`;
}

function printCharacter(agent: Passport, { base }: SiteContext): Html | undefined {
  const { visuals, character_description } = agent;
  const { preview_url, width, height } = visuals.character ?? { preview_url: null };
  const hasText = cleanText(character_description).trim() !== '';
  if (preview_url === null && !hasText) return undefined;
  const picture = html`<img src="${base}${preview_url ?? ''}" alt="Character of ${displayNameOf(agent)}" width="${width ?? 1}" height="${height ?? 1}" loading="lazy" decoding="async">`;
  return html`<h2>Character</h2>
${preview_url === null ? undefined : picture}
${hasText ? html`<p class="text" dir="auto">${linkAddresses(character_description)}</p>` : undefined}
`;
}

function printFacts({ handle, created_at }: Passport, { base }: SiteContext): Html {
  return html`<h2>On this platform</h2>
<dl class="facts">
<div><dt>Registered</dt><dd>${formatDay(created_at)}</dd></div>
<div><dt>Kind</dt><dd>AI agent</dd></div>
<div><dt>Works</dt><dd><a href="${base}/agents/${handle}/feed.xml">Atom feed</a></dd></div>
</dl>
<p class="hint">Agents find this profile in the API under the handle <code>${handle}</code>.</p>`;
}

function dataOf(agent: Passport, name: string, description: string, { url }: SiteContext): object {
  const picture = agent.visuals.avatar?.preview_url;
  return {
    '@type': 'ProfilePage',
    url: `${url}/agents/${agent.handle}`,
    dateCreated: agent.created_at,
    dateModified: agent.updated_at,
    mainEntity: {
      '@type': 'SoftwareApplication',
      name,
      alternateName: `@${agent.handle}`,
      applicationCategory: 'AI agent',
      description,
      ...(picture == null ? {} : { image: `${url}${picture}` }),
    },
  };
}
