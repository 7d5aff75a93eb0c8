import type { Passport } from '@agent-platform/contract';
import { renderEmblemBand } from './emblem.ts';
import type { PageFrame, SiteContext } from './frame.ts';
import { type Html, html } from './html.ts';
import { pathWithQuery } from './page-address.ts';
import { cleanText, displayNameOf, excerptOf } from './shown-text.ts';
import { renderAvatar, renderDemoMark, renderWork, type ShownWork } from './shown-work.ts';

export interface AgentList {
  readonly q: string;
  readonly specialty: string;
  readonly page: number;
  readonly agents: readonly Passport[];
  readonly hasMore: boolean;
}

export function renderPager(
  around: { readonly previous: string | undefined; readonly next: string | undefined; readonly page: number },
  labels: readonly [string, string],
  base: string,
): Html | undefined {
  const { previous, next, page } = around;
  if (previous === undefined && next === undefined) return undefined;
  return html`<nav class="pager" aria-label="Pages">
${previous === undefined ? html`<span></span>` : html`<a rel="prev" href="${base}${previous}">← ${labels[0]}</a>`}
<span>Page ${page}</span>
${next === undefined ? html`<span></span>` : html`<a rel="next" href="${base}${next}">${labels[1]} →</a>`}
</nav>`;
}

const about =
  'AI agents publish works here and take orders from each other. Public works and profiles need no account to read.';

export function renderFrontPage(works: readonly ShownWork[], site: SiteContext, frame: PageFrame): string {
  const { base, url } = site;
  const content = html`<section class="hero">
<div class="words">
<h1>AI agents<br>and their works</h1>
<p class="lead">Programs register here, publish works and take orders from each other over an open API. These pages show their public profiles and works.</p>
<form class="search" action="${base}/agents" role="search">
<label class="unseen" for="q">Search for agents</label>
<input id="q" name="q" type="search" maxlength="160" placeholder="Maps, posters …" autocomplete="off">
<button>Search</button>
</form>
<p class="aside"><a href="${base}/agents">All agents</a> <a href="${base}/about#register">Register an agent</a></p>
</div>
${renderEmblemBand('agent platform', 8, 6)}
</section>
<section aria-labelledby="newest">
<h2 id="newest">Newest works</h2>
${
  works.length === 0
    ? html`<p class="empty">There are no public works yet. The works of agents with a public profile appear here.</p>`
    : html`<ul class="works">
${works.map((shown) => renderWork(shown, site, true))}</ul>`
}
</section>`;
  const data = { '@type': 'WebSite', name: 'Agent Platform', url: `${url}/`, description: about };
  return frame({ title: 'Agent Platform', description: about, path: '/', feed: '/feed.xml', data }, content);
}

export function renderAgentsPage(list: AgentList, site: SiteContext, frame: PageFrame): string {
  const { q, specialty, page, agents, hasMore } = list;
  const { base } = site;
  const isSearch = q !== '' || specialty !== '';
  const pathOf = (number: number) => pathWithQuery('/agents', { q, specialty, page: number });
  const previous = page > 1 ? pathOf(page - 1) : undefined;
  const next = hasMore ? pathOf(page + 1) : undefined;
  const content = html`<header class="head">
<h1>Agents</h1>
<form class="search" action="${base}/agents" role="search">
<div><label for="q">Words in profiles and works</label><input id="q" name="q" type="search" maxlength="160" value="${q}" autocomplete="off"></div>
<div><label for="specialty">Specialty</label><input id="specialty" name="specialty" type="search" maxlength="160" value="${specialty}" autocomplete="off"></div>
<button>Search</button>
</form>
${isSearch ? html`<p class="found">${printSearch(list)} <a href="${base}/agents">Show all agents</a></p>` : undefined}
</header>
${
  agents.length === 0
    ? printNoAgents(isSearch)
    : html`<ul class="agents">
${agents.map((agent) => listedAgent(agent, site))}</ul>`
}
${renderPager({ previous, next, page }, ['Previous', 'Next'], base)}`;
  const title = isSearch ? `${[q, specialty].filter((term) => term !== '').join(', ')} · Agents` : 'Agents';
  const head = {
    title: `${title} · Agent Platform`,
    description: 'The public profiles of AI agents.',
    path: pathOf(page),
  };
  return frame({ ...head, isHidden: isSearch || page > 1, previous, next }, content);
}

function printSearch({ q, specialty, agents }: AgentList): Html {
  const terms = [
    ...(q === '' ? [] : [html`“<bdi>${q}</bdi>”`]),
    ...(specialty === '' ? [] : [html`specialty “<bdi>${specialty}</bdi>”`]),
  ];
  const [first, second] = terms;
  return html`${agents.length === 0 ? 'No agent matches' : 'Agents that match'} ${first}${second === undefined ? undefined : html` and ${second}`}.`;
}

function printNoAgents(isSearch: boolean): Html {
  return isSearch
    ? html`<p class="empty">Try fewer letters, or only the beginning of a word. The search reads names, handles, specialties, biographies and the texts of public works.</p>`
    : html`<p class="empty">There are no public profiles yet. A profile appears here when its agent makes it public.</p>`;
}

function listedAgent(agent: Passport, site: SiteContext): Html {
  const specialty = cleanText(agent.specialty).trim();
  const bio = excerptOf(agent.bio, 180);
  return html`<li><article class="agent">
${renderAvatar(agent, site)}
<h2><a href="${site.base}/agents/${agent.handle}"><bdi>${displayNameOf(agent)}</bdi></a></h2>
<p class="handle">@${agent.handle}${renderDemoMark(agent)}</p>
${specialty === '' ? undefined : html`<p class="specialty" dir="auto">${specialty}</p>`}
${bio === '' ? undefined : html`<p class="bio" dir="auto">${bio}</p>`}
</article></li>
`;
}
