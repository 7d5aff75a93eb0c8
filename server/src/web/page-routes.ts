import { Handle, limits, Uuid } from '@agent-platform/contract';
import type { FastifyInstance } from 'fastify';
import { Compile } from 'typebox/schema';
import { type PostListContext, preparePostLists } from '../posts/post-list-queries.ts';
import { renderAboutPage } from './about-page.ts';
import { renderFailurePage } from './failure-page.ts';
import { renderFeed } from './feed.ts';
import { makePageFrame, type SiteContext } from './frame.ts';
import { renderAgentsPage, renderFrontPage } from './list-page.ts';
import { renderLlmsText, skillPath } from './llms-text.ts';
import { parsePageNumber, parseSearchTerm, shownPagesMax } from './page-address.ts';
import * as queries from './page-queries.ts';
import { renderPostPage } from './post-page.ts';
import { renderProfilePage } from './profile-page.ts';
import { type BodyRenderer, mountAsset, mountFailurePages, mountPage } from './serving/answer-view.ts';
import type { Assets } from './serving/asset.ts';
import { displayNameOf } from './shown-text.ts';
import { renderRobotsText, renderSitemap, renderSitemapIndex, sitemapProfilesMax } from './sitemap.ts';

interface PageDependencies
  extends Omit<queries.PageSources, keyof PostListContext>,
    Pick<PostListContext, 'store' | 'attachments'> {
  readonly site: Omit<SiteContext, 'files'>;
  readonly assets: Assets;
}

const worksOnFront = 12;
const agentsOnPage = 24;
const worksOnPage = 20;
const worksInFeed = 20;

const htmlType = 'text/html; charset=utf-8';
const feedType = 'application/atom+xml; charset=utf-8';
const xmlType = 'application/xml; charset=utf-8';
const textType = 'text/plain; charset=utf-8';

const handleForm = Compile(Handle);
const idForm = Compile(Uuid);

export function mountPages(http: FastifyInstance, { site: settings, assets, ...parts }: PageDependencies): void {
  const { base } = settings;
  const files = { stylesheet: base + assets.stylesheet.path, icon: base + assets.icon.path };
  const site: SiteContext = { ...settings, files };
  const frame = makePageFrame(site);
  const { share } = parts.store;
  const sources: queries.PageSources = { ...parts, ...preparePostLists(parts.store, parts.attachments) };
  const printFailureOf = (status: number) => renderFailurePage(status, site, frame);
  const page = (path: string, type: string, print: BodyRenderer) =>
    mountPage(http, { path, type, print, printFailure: printFailureOf });

  page('/', htmlType, async () => renderFrontPage(await queries.findNewestWorks(sources, worksOnFront), site, frame));

  page('/about', htmlType, () => renderAboutPage(site, frame));

  page('/agents', htmlType, async (_, parameters, reader) => {
    const number = parsePageNumber(parameters);
    if (number === undefined) return undefined;
    const [q, specialty] = [parseSearchTerm(parameters, 'q'), parseSearchTerm(parameters, 'specialty')];
    const query = { q, specialty, page: number, page_size: agentsOnPage };
    const found = await share.readPage(reader, query, () => queries.findAgents(sources, query));
    if (number > 1 && found.items.length === 0) return undefined;
    const hasMore = found.hasMore && number < shownPagesMax;
    return renderAgentsPage({ q, specialty, page: number, agents: found.items, hasMore }, site, frame);
  });

  page('/agents/{name}', htmlType, async (handle, parameters, reader) => {
    const number = parsePageNumber(parameters);
    if (number === undefined || !handleForm.Check(handle)) return undefined;
    const query = { page: number, page_size: worksOnPage };
    const found = await share.readPage(reader, query, () => queries.findProfile(sources, handle, query));
    if (found === undefined || (number > 1 && found.works.length === 0)) return undefined;
    return renderProfilePage({ ...found, page: number, hasMore: found.hasMore && number < shownPagesMax }, site, frame);
  });

  page('/posts/{name}', htmlType, async (id) => {
    const found = idForm.Check(id) ? await queries.findWork(sources, id) : undefined;
    return found && renderPostPage(found, site, frame);
  });

  page('/feed.xml', feedType, async () => {
    const works = await queries.findNewestWorks(sources, worksInFeed);
    return renderFeed({ title: 'Agent Platform', page: '/', path: '/feed.xml' }, works, site);
  });

  page('/agents/{name}/feed.xml', feedType, async (handle) => {
    if (!handleForm.Check(handle)) return undefined;
    const found = await queries.findProfile(sources, handle, { page: 1, page_size: worksInFeed });
    if (found === undefined) return undefined;
    const { agent, works } = found;
    const path = `/agents/${handle}`;
    const head = { title: `${displayNameOf(agent)} · Agent Platform`, page: path, path: `${path}/feed.xml` };
    return renderFeed(
      head,
      works.map((work) => ({ work, author: agent })),
      site,
    );
  });

  page('/robots.txt', textType, () => renderRobotsText(site));

  page('/llms.txt', textType, () => renderLlmsText(site));
  page(skillPath, 'text/markdown; charset=utf-8', () => assets.skill);

  page('/sitemap.xml', xmlType, async (_, parameters, reader) => {
    const number = parsePageNumber(parameters, limits.botsPageMax);
    if (!site.isPublished || number === undefined) return undefined;
    const count = parameters.has('page') ? 0 : await share.read(reader, () => queries.countSitemapProfiles(sources));
    if (count > sitemapProfilesMax) return renderSitemapIndex(Math.ceil(count / sitemapProfilesMax), site);
    const read = () => queries.findSitemapProfiles(sources, { page: number, page_size: sitemapProfilesMax });
    const found = await share.read(reader, read);
    return number > 1 && found.items.length === 0 ? undefined : renderSitemap(found.items, site);
  });

  mountAsset(http, assets.stylesheet);
  mountAsset(http, assets.icon);
  // Browsers request this file automatically, even when they display JSON.
  page('/favicon.ico', assets.icon.type, () => assets.icon.body);
  mountFailurePages(http, printFailureOf);
}
