import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Browser, Page } from 'playwright';

/** In CSS pixels: the widths of a phone and of a laptop window. */
const widths = { narrow: 360, wide: 1100 } as const;
const height = 900;

// The Tab test is skipped on pages with more focusable elements, because each key press takes milliseconds.
const tabsMax = 60;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const script = fileURLToPath(new URL('in-page/inspection.js', import.meta.url));

// Preloading would request the stylesheets again, which the pages' content security policy forbids.
const allRules: RunOptions = {
  resultTypes: ['violations'],
  preload: false,
  rules: { 'target-size': { enabled: true } },
};
const colorRules: RunOptions = { ...allRules, runOnly: ['color-contrast', 'link-in-text-block'] };

export interface PageInspector {
  readonly page: Page;
  inspect(url: string, options?: { readonly status?: number }): Promise<readonly string[]>;
  /** Opens an address and returns an outline of its elements and attributes, without texts and values. */
  readShape(url: string): Promise<string>;
  /** Opens an address and returns its visible text, with and without scripts. */
  readTexts(url: string): Promise<readonly [withScripts: string, without: string]>;
  close(): Promise<void>;
}

export async function openPageInspector(browser: Browser): Promise<PageInspector> {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  await context.addInitScript({ path: script });
  const withoutScripts = await browser.newContext({ reducedMotion: 'reduce', javaScriptEnabled: false });
  const page = await context.newPage();
  const messages: string[] = [];
  page.on('console', (message) => messages.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => messages.push(`script: ${error.message}`));
  return {
    page,
    inspect: async (url, { status = 200 } = {}) => {
      messages.length = 0;
      await page.setViewportSize({ width: widths.wide, height });
      const response = await page.goto(url);
      const answered = response?.status() ?? 200;
      await page.evaluate(axe);
      const faults = [
        ...(answered === status ? [] : [`responds with ${answered} instead of ${status}`]),
        ...(await inspectWidth(page, 'wide')),
        ...(await findFocusFaults(page)),
        ...(await inspectWidth(page, 'narrow')),
        ...(await page.evaluate<string[]>('inspection.reports')),
      ];
      // Chromium logs every response with an error status, even if the status is expected.
      const expected = `error: Failed to load resource: the server responded with a status of ${status} `;
      return [...faults, ...messages.filter((message) => status === 200 || !message.startsWith(expected))];
    },
    readShape: async (url) => {
      await page.goto(url);
      return await page.evaluate<string>('inspection.readShape()');
    },
    readTexts: async (url) => {
      const plain = await withoutScripts.newPage();
      await Promise.all([page.goto(url), plain.goto(url)]);
      await page.setViewportSize(plain.viewportSize() ?? { width: widths.wide, height });
      const read = 'document.body.innerText';
      const texts = [await page.evaluate<string>(read), await plain.evaluate<string>(read)] as const;
      await plain.close();
      return texts;
    },
    close: async () => {
      await withoutScripts.close();
      await context.close();
    },
  };
}

/**
 * All rules run at each width, because the width may hide or move elements. Only the colour rules run in both schemes,
 * because the scheme only changes colours, as the comparison of layouts proves.
 */
async function inspectWidth(page: Page, name: keyof typeof widths): Promise<readonly string[]> {
  const width = widths[name];
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await runAxe(page, allRules, `${width} px, light`);
  const overflow = await page.evaluate<string>('inspection.findOverflow()');
  const isSame = await hasOneLayout(page);
  const dark = await runAxe(page, colorRules, `${width} px, dark`);
  return [
    ...light,
    ...dark,
    ...(overflow === '' ? [] : [`${width} px: wider than the window: ${overflow}`]),
    ...(isSame ? [] : [`${width} px: the dark scheme has a different layout`]),
  ];
}

/** Leaves the dark scheme on. Repeats the comparison, because a script may change the page in between. */
async function hasOneLayout(page: Page): Promise<boolean> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await page.evaluate<string>('inspection.readLayout()');
    await page.emulateMedia({ colorScheme: 'dark' });
    if (light === (await page.evaluate<string>('inspection.readLayout()'))) return true;
  }
  return false;
}

async function runAxe(page: Page, options: RunOptions, variant: string): Promise<readonly string[]> {
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any, all, none }) => {
      const [reason] = [...any, ...all, ...none];
      return `${variant}: ${id} at ${target.join(' ')}: ${reason?.message ?? ''}`;
    }),
  );
}

/** Finds elements that the keyboard cannot reach, that it reaches out of order, or that show no focus. */
async function findFocusFaults(page: Page): Promise<readonly string[]> {
  const { count, faults } = await page.evaluate<{ count: number; faults: string[] }>('inspection.findFocusFaults()');
  if (count === 0 || count > tabsMax) return faults;
  const places = [0];
  while (places.length < count) {
    await page.keyboard.press('Tab');
    places.push(await page.evaluate<number>('inspection.placeOfFocus()'));
  }
  const isInOrder = places.every((place, at) => place === at);
  return isInOrder ? faults : [...faults, `Tab visits the ${count} elements in the order ${places.join(', ')}`];
}
