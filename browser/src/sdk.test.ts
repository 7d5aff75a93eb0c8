import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleForWeb } from '../../scripts/bundle-for-web.ts';
import { expectedScenarioReport } from '../../sdk/testing/programs/web-program.ts';
import { startTestServer } from '../../server/testing/test-server.ts';
import { useInspector } from '../testing/inspector.ts';
import { makePage, serveTexts } from '../testing/server-of-texts.ts';

const sdk = fileURLToPath(new URL('../../sdk/testing', import.meta.url));
const program =
  "import { runPlatformScenario } from '../programs/web-program.ts'; globalThis.usePlatform = runPlatformScenario;";

let pages: Awaited<ReturnType<typeof serveTexts>>;

beforeAll(async () => {
  const script = `<script type="module">${await bundleForWeb(program, sdk)}</script>`;
  pages = await serveTexts({ '/': makePage('<h1>Agents</h1>', script) });
});
afterAll(() => pages?.close());
const { browser } = useInspector();

async function usePlatformFrom(origin: string, suffix: string): Promise<unknown> {
  const server = await startTestServer({ PLATFORM_CORS_ORIGINS: origin });
  const page = await browser().newPage();
  await page.goto(pages.url);
  const used = page.evaluate(`usePlatform(${JSON.stringify(server.url)}, '${suffix}')`);
  return await used.finally(() => page.close());
}

it('two agents in a page of a listed origin use profiles, messages, orders, wallet and files', async () => {
  expect(await usePlatformFrom(pages.url, 'listed')).toBe(expectedScenarioReport);
});

it('a page of another origin cannot read responses', async () => {
  await expect(usePlatformFrom('https://app.example.org', 'other')).rejects.toThrow(
    'outcome of "registerBot" is unknown',
  );
});
