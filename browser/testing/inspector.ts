import type { Browser } from 'playwright';
import { afterAll, beforeAll } from 'vitest';
import { openBrowser } from '../src/open-browser.ts';
import { openPageInspector, type PageInspector } from '../src/page-inspector.ts';

/**
 * Opens a browser with a page inspector while the tests of a file run. Must be called after the other hooks of the
 * file, so that the browser closes before the server to which it is connected.
 */
export function useInspector(): { readonly browser: () => Browser; readonly inspector: () => PageInspector } {
  let opened: { readonly browser: Browser; readonly inspector: PageInspector } | undefined;
  beforeAll(async () => {
    const browser = await openBrowser();
    opened = { browser, inspector: await openPageInspector(browser) };
  });
  afterAll(() => opened?.browser.close());
  const open = () => {
    if (opened === undefined) throw new Error('The browser is only open while tests run.');
    return opened;
  };
  return { browser: () => open().browser, inspector: () => open().inspector };
}
