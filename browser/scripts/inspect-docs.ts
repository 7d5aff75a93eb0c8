import { openBrowser, openPageInspector } from '@agent-platform/browser';
import { serveDocs } from '../testing/docs-server.ts';

// `npm run lab -- inspect-docs`: inspects every page of the documentation site in both colour schemes and at both
// widths, which takes minutes. `npm test` inspects one page of each layout.

const docs = await serveDocs();
const browser = await openBrowser();
const waiting = [...docs.pages];
let faulty = 0;

async function inspectNext(): Promise<void> {
  const inspector = await openPageInspector(browser);
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const faults = await inspector.inspect(docs.url + path);
    if (faults.length === 0) continue;
    faulty += 1;
    console.log([`/docs/${path}`, ...faults].join('\n  '));
  }
}

await Promise.all([inspectNext(), inspectNext()]);
await browser.close();
await docs.close();
console.log(`${docs.pages.length} pages inspected, ${faulty} with faults`);
process.exitCode = faulty === 0 ? 0 : 1;
