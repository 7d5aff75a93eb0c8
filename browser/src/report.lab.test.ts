import { formatHtmlReport } from '@agent-platform/conformance';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useInspector } from '../testing/inspector.ts';
import { hostileTexts } from '../testing/naughty-texts.ts';
import { fillReportWithText, makeSampleReport } from '../testing/sample-report.ts';
import { serveTexts } from '../testing/server-of-texts.ts';

const kinds = ['passed', 'failed', 'incomplete', 'broken'] as const;

let server: Awaited<ReturnType<typeof serveTexts>>;

beforeAll(async () => {
  // These ids cover every kind of verdict; axe would need five seconds for all requirements.
  const ids = /^AP-(ME-0|TRANSPORT-00|ERR-00|CONTACT-019|ORDER-03|WALLET-00)/;
  const failed = makeSampleReport('failed', ids);
  server = await serveTexts({
    ...Object.fromEntries(kinds.map((kind) => [`/${kind}`, formatHtmlReport(makeSampleReport(kind, ids))])),
    '/harmless': formatHtmlReport(fillReportWithText(failed, 'harmless')),
    ...Object.fromEntries(
      hostileTexts.map((text, at) => [`/naughty-${at}`, formatHtmlReport(fillReportWithText(failed, text))]),
    ),
  });
});
afterAll(() => server?.close());
const { inspector } = useInspector();

describe('the HTML report in a browser', () => {
  it.each(kinds)('has no fault when a run has %s', async (kind) => {
    expect(await inspector().inspect(`${server.url}/${kind}`)).toEqual([]);
  });

  it('has no fault, and always the same outline, whatever text a server sends', async () => {
    const shape = await inspector().readShape(`${server.url}/harmless`);

    for (const at of hostileTexts.keys()) {
      expect(await inspector().readShape(`${server.url}/naughty-${at}`)).toBe(shape);
    }
    expect(await inspector().inspect(`${server.url}/naughty-0`)).toEqual([]);
  });

  it('shows the requirements of a chosen verdict without a script', async () => {
    const { page } = inspector();
    await page.goto(`${server.url}/failed`);
    await page.getByRole('radio', { name: 'failed' }).check();

    const rows = page.locator('#requirements tr').filter({ visible: true });
    expect(await rows.count()).toBe(await page.locator('#requirements tr.failed').count());
    expect(await rows.locator('td:first-child').allTextContents()).toContain('AP-ORDER-031');
  });

  it('opens the requirements of an area from its map', async () => {
    const { page } = inspector();
    await page.goto(`${server.url}/passed`);
    await page.getByRole('link', { name: 'Wallet' }).click();

    await expect.poll(() => page.locator('#AP-WALLET-001').isVisible()).toBe(true);
  });
});
