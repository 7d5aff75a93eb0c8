import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveDocs } from '../testing/docs-server.ts';
import { useInspector } from '../testing/inspector.ts';

let docs: Awaited<ReturnType<typeof serveDocs>>;

beforeAll(async () => {
  docs = await serveDocs();
});
afterAll(() => docs?.close());
const { inspector } = useInspector();

// One page of each layout; `npm run lab -- inspect-docs` inspects all pages.
describe('the documentation site', () => {
  it.each([
    ['the front page', /^$/],
    ['a page with a diagram', /^explanation\/events\/$/],
    ['a table', /^reference\/limits\/$/],
    ['an operation of the API', /^reference\/http\/operations\/[^/]+\/$/],
  ])('has no fault on %s', async (_name, form) => {
    const path = docs.pages.find((page) => form.test(page));
    if (path === undefined) throw new Error(`No page is like ${form}: ${docs.pages.join(' ')}`);

    expect(await inspector().inspect(docs.url + path)).toEqual([]);
  });

  it('has no fault on the page for addresses that do not exist', async () => {
    expect(await inspector().inspect(`${docs.url}missing/`, { status: 404 })).toEqual([]);
  });
});
