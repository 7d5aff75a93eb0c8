import { fileURLToPath } from 'node:url';
import { quickStartFlags, startServerProcess } from '@agent-platform/testing';
import { copyTemplateDatabase } from '@agent-platform/testing/template-database';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { suspendAgents } from '../../server/src/identity/suspension-commands.ts';
import { startTestServer, type TestServer } from '../../server/testing/test-server.ts';
import { useInspector } from '../testing/inspector.ts';
import { hostileTexts } from '../testing/naughty-texts.ts';
import { makePublisher, publishChangeableTexts, publishLongTexts, publishManyPosts } from '../testing/published.ts';

const [markup = ''] = hostileTexts;

let server: TestServer;
let agents: ReturnType<typeof makePublisher>;

beforeAll(async () => {
  server = await startTestServer();
  agents = makePublisher(server.url);
});
afterAll(() => server?.close());
const { browser, inspector } = useInspector();

describe('public pages without an agent', () => {
  it.each(['/', '/agents'])('have no fault at %s', async (path) => {
    expect(await inspector().inspect(server.url + path)).toEqual([]);
  });
});

describe('public pages', () => {
  let paths: Readonly<Record<string, string>>;

  beforeAll(async () => {
    await agents.register('empty_agent', { display_name: 'Nothing yet' });
    paths = {
      'the front page': '/',
      'the list': '/agents',
      'a search': '/agents?q=%D8%B9%D9%8A%D8%B4%D8%A9&specialty=maps',
      'a search without a result': '/agents?q=zzzz',
      'the page about the platform': '/about',
      'a profile without works': '/agents/empty_agent',
      ...(await publishManyPosts(agents)),
      ...(await publishLongTexts(agents)),
    };
  });

  it.each([
    'the front page',
    'the list',
    'a search',
    'a search without a result',
    'the page about the platform',
    'a profile without works',
    'a profile with 21 works',
    'its second page',
    'a work with pictures',
    'a work with a PDF',
    'a profile of long texts',
    'a long work',
  ])('have no fault, and the same text without scripts: %s', async (name) => {
    const url = server.url + paths[name];

    expect(await inspector().inspect(url)).toEqual([]);
    const [withScripts, without] = await inspector().readTexts(url);
    expect(without).toBe(withScripts);
    expect(without.length).toBeGreaterThan(200);
  });

  it('are the same 404 page for a closed, a suspended and a missing agent', async () => {
    await agents.register('closed_agent', { profile_public: false });
    await agents.register('suspended_agent');
    await suspendAgents({ store: server.store, clock: () => new Date(), record: async () => undefined }, [
      'suspended_agent',
    ]);
    const handles = ['closed_agent', 'suspended_agent', 'missing_agent'];
    const bodies = await Promise.all(handles.map(async (name) => (await fetch(`${server.url}/agents/${name}`)).text()));

    expect(new Set(bodies).size).toBe(1);
    expect(await inspector().inspect(`${server.url}/agents/closed_agent`, { status: 404 })).toEqual([]);
  });

  it('disappear at the next click after the profile was made private', async () => {
    const token = await agents.register('closing', { display_name: 'Closing soon' });
    const picture = await agents.upload(token, 'upright.jpg');
    const work = await agents.publish(token, { title: 'Last work', attachment_ids: [picture] });
    const context = await browser().newContext();
    const tab = await context.newPage();
    const otherTab = await context.newPage();
    const showsPicture = () =>
      tab.evaluate<boolean>(`new Promise((resolve) => {
        const image = new Image();
        image.onload = () => resolve(true);
        image.onerror = () => resolve(false);
        image.src = '/api/v1/attachments/${picture}/preview';
      })`);
    const read = async (path: string) => {
      const response = await otherTab.goto(server.url + path);
      return { status: response?.status(), text: await response?.text() };
    };

    await tab.goto(`${server.url}/agents`);
    await tab.getByRole('link', { name: 'Closing soon' }).click();
    expect(await tab.getByRole('heading', { name: 'Last work' }).count()).toBe(1);
    expect(await showsPicture()).toBe(true);
    expect(await read('/agents/closing')).toMatchObject({ status: 200 });
    expect(await read(`/posts/${work}`)).toMatchObject({ status: 200 });
    await agents.setProfile(token, { profile_public: false });

    await tab.getByRole('link', { name: 'Last work' }).click();
    expect(await tab.getByRole('heading', { level: 1 }).textContent()).toBe('Page not found');
    expect(await showsPicture()).toBe(false);
    expect(await read('/agents/closing')).toMatchObject({ status: 404 });
    expect(await read(`/posts/${work}`)).toMatchObject({ status: 404 });
    expect((await fetch(`${server.url}/agents/closing/feed.xml`)).status).toBe(404);
    for (const path of ['/agents', '/', '/agents?q=closing']) {
      expect((await read(path)).text).not.toContain('Closing soon');
    }
    expect(await (await fetch(`${server.url}/feed.xml`)).text()).not.toContain('Closing soon');
    await context.close();
  });

  it('have the same outline whatever the texts of agents contain', async () => {
    const author = await publishChangeableTexts(agents);
    const readShapes = async (text: string) => {
      await author.change(text);
      const query = encodeURIComponent(`zzzz ${[...text].slice(0, 80).join('')}`);
      const shapes: string[] = [];
      const ofAuthor = ['/', '/agents?q=naughty', '/agents/naughty', `/posts/${author.work}`];
      for (const path of [...ofAuthor, `/agents?q=${query}&specialty=${query}`]) {
        shapes.push(await inspector().readShape(server.url + path));
      }
      return shapes.join('\n\n');
    };
    const shape = await readShapes('harmless');

    for (const text of hostileTexts) expect(await readShapes(text), text).toBe(shape);
    await author.change(markup);
    expect(await inspector().inspect(`${server.url}/agents/naughty`)).toEqual([]);
  });
});

describe('a server that forgets to escape', () => {
  it('is detected', async () => {
    const folder = makeTestFolder();
    const copy = await copyTemplateDatabase();
    const forgetful = new URL('../testing/forget-escaping.mjs', import.meta.url).href;
    const program = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));
    const faulty = await startServerProcess({ PLATFORM_DATA_DIR: folder, ...copy.environment }, [
      ...[...quickStartFlags, '--import', forgetful, program],
    ]);
    const author = await publishChangeableTexts(makePublisher(faulty.url));
    const url = `${faulty.url}/agents/naughty`;
    const shape = await inspector().readShape(url);
    await author.change(markup);

    expect(await inspector().readShape(url)).not.toBe(shape);
    expect(await inspector().inspect(url)).toContainEqual(expect.stringMatching(/^policy: script-src/));
    await faulty.end('SIGTERM');
    await copy.drop();
  });
});
