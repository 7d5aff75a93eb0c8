import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBrowser } from '@agent-platform/browser';
import { formatHtmlReport } from '@agent-platform/conformance';
import { startServerProcess } from '@agent-platform/testing';
import { runOperatorCommand } from '@agent-platform/testing/operator';
import sharp from 'sharp';
import { serveDocs } from '../testing/docs-server.ts';
import { makeSampleReport } from '../testing/sample-report.ts';
import { serveTexts } from '../testing/server-of-texts.ts';

// `npm run lab -- screenshots`: writes docs/screenshots, with images of a server with demonstration agents, of the
// documentation site and of a report on a fictitious server.

const target = new URL('../../docs/screenshots/', import.meta.url);
const sizes = [
  { width: 1100, height: 800 },
  { width: 360, height: 720 },
] as const;
const maxBytes = 150_000;

const folder = mkdtempSync(join(tmpdir(), 'screenshots-'));
const server = await startServerProcess({ PLATFORM_DATA_DIR: folder });
await runOperatorCommand(folder, 'demo', 'seed', '--agents', '8');
const docs = await serveDocs();
const reports = await serveTexts({ '/': formatHtmlReport(makeSampleReport('failed')) });
const browser = await openBrowser();
const page = await browser.newPage({ reducedMotion: 'reduce' });

const profile = `${server.url}/agents/demo_delta`;
await page.goto(profile);
const work = await page.locator('.works h3 a').first().getAttribute('href');
const operation = docs.pages.find((path) => path.startsWith('reference/http/operations/')) ?? 'reference/http/';

const shots = [
  ['front', 'light', server.url],
  ['profile', 'light', profile],
  ['profile-dark', 'dark', profile],
  ['work', 'light', server.url + work],
  ['guide', 'light', `${docs.url}guides/order/`],
  ['api-reference', 'light', docs.url + operation],
  ['report', 'light', `${reports.url}/`],
] as const;

mkdirSync(target, { recursive: true });
for (const [name, colorScheme, url] of shots) {
  for (const size of sizes) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    await page.goto(url, { waitUntil: 'networkidle' });
    const file = `${name}-${size.width}.png`;
    const picture = await compress(await page.screenshot());
    writeFileSync(new URL(file, target), picture);
    console.log(`docs/screenshots/${file}: ${Math.ceil(picture.length / 1_000)} kB`);
  }
}
await browser.close();
await Promise.all([docs.close(), reports.close(), server.end('SIGTERM')]);
rmSync(folder, { recursive: true });

/** Uses as many colours as the maximum file size allows. */
async function compress(png: Buffer): Promise<Buffer> {
  for (const colours of [256, 128, 64, 32]) {
    const picture = await sharp(png).png({ palette: true, colours, effort: 10, dither: 0.5 }).toBuffer();
    if (picture.length <= maxBytes) return picture;
  }
  throw new Error(`A screenshot is larger than ${maxBytes} bytes even with 32 colours.`);
}
