import { printHtml } from '@agent-platform/conformance';
import type { Browser } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeReport } from '../testing/sample-report.ts';
import { serveTexts } from '../testing/server-of-texts.ts';
import { openBrowser } from './open-browser.ts';
import { openPageInspector, type PageInspector } from './page-inspector.ts';

const kinds = ['passed', 'failed', 'incomplete', 'broken'] as const;

let browser: Browser;
let inspector: PageInspector;
let server: Awaited<ReturnType<typeof serveTexts>>;

beforeAll(async () => {
  // One with all requirements; axe takes two seconds for it.
  const prefixes = { passed: 'AP-REG', failed: 'AP-', incomplete: 'AP-WALLET', broken: 'AP-ERR' };
  const reports = kinds.map((kind) => [`/${kind}`, printHtml(makeReport(kind, prefixes[kind]))] as const);
  server = await serveTexts(Object.fromEntries(reports));
  browser = await openBrowser();
  inspector = await openPageInspector(browser);
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

describe('the HTML report in a browser', () => {
  it.each(kinds)('has no fault when a run has %s', async (kind) => {
    expect(await inspector.inspect(`${server.url}/${kind}`)).toEqual([]);
  });
});
