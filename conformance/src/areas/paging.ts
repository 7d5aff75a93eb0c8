import type { ApiClient } from '../context/agent.ts';
import { type Check, defineCheck, primaryAgent, type Run } from '../context/check.ts';
import { expect, idsInList, isSameId } from '../context/expectations.ts';
import type { Exchange } from '../context/http/http-client.ts';

export async function readPage(client: ApiClient, path: string, query = 'page_size=50'): Promise<Exchange> {
  const answer = expect.works(await client.get(query === '' ? path : `${path}?${query}`));
  expect.list(answer);
  return answer;
}

interface PageRequirements {
  readonly page: string;
  readonly pageSize: string;
}

/** Invalid queries may return any code for malformed requests, unless `code` is given. */
export function pageBoundsCheck(
  area: string,
  path: string,
  { page, pageSize, maxPage, code }: PageRequirements & { readonly maxPage: number; readonly code?: string },
  start = primaryAgent,
): Check {
  return defineCheck(start, {
    id: `${area}.page-bounds`,
    covers: [page, pageSize],
    rule: `page goes from 1 to ${maxPage} and page_size from 1 to 50; any other value is ${code ?? 'a malformed request'}.`,
    async judge(_, run) {
      const client = await run.primaryAgent();
      const judge = (requirement: string, valid: readonly string[], wrong: readonly string[]) =>
        run.requirement(requirement, async () => {
          for (const query of valid) expect.list(expect.status(await client.get(`${path}?${query}`), 200));
          for (const query of wrong) {
            const answer = await client.get(`${path}?${query}`);
            if (code === undefined) expect.malformed(answer);
            else expect.refusal(answer, 400, code);
          }
        });
      await judge(
        page,
        [`page=${maxPage}`],
        ['page=0', `page=${maxPage + 1}`, 'page=-1', 'page=1.5', 'page=x', 'page=1x', `page=${'9'.repeat(20)}`],
      );
      const sizes = ['page_size=50', 'page=1&page_size=1'];
      await judge(pageSize, sizes, ['page_size=0', 'page_size=51', 'page_size=all', 'page_size=1.5', 'page_size=5x']);
    },
  });
}

// The number of attempts to read a list completely: if it stays unchanged, and if other agents change it.
const [quietAttempts, disturbedAttempts] = [3, 12];
const traversalPagesMax = 60;
// Neither size is a multiple of the other, so that pages of the two sizes end at different records.
const traversalSizes = [3, 7];

/**
 * Expects a list to have the specified pages, newest first, with at least these 21 records. Other records are not
 * judged, because other agents may add and remove them.
 */
export async function expectOwnPages(
  run: Run,
  read: (query: string) => Promise<Exchange>,
  own: readonly string[],
  { page, pageSize }: PageRequirements,
): Promise<void> {
  await run.requirement(pageSize, async () => {
    for (const [query, size] of [
      ['', 20],
      ['page=1', 20],
      ['page=1&page_size=2', 2],
      ['page_size=1', 1],
    ] as const) {
      const answer = await read(query);
      const count = expect.list(answer).length;
      expect(count === size, `?${query} returns ${count} records instead of ${size}`, answer);
    }
    const most = await read('page_size=50');
    expect(expect.list(most).length >= own.length, `there are fewer than ${own.length} records on a page of 50`, most);
  });
  await run.requirement(page, async () => {
    for (const size of traversalSizes) await expectTraversal(read, own, size);
  });
}

async function expectTraversal(
  read: (query: string) => Promise<Exchange>,
  own: readonly string[],
  size: number,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const before = idsInList(await read('page_size=50'));
    const seen: unknown[] = [];
    const isMissing = (id: string) => !seen.some((one) => isSameId(one, id));
    let last: Exchange | undefined;
    for (let at = 1; at <= traversalPagesMax && own.some(isMissing); at += 1) {
      last = await read(`page=${at}&page_size=${size}`);
      const ids = idsInList(last);
      if (ids.length === 0) break;
      seen.push(...ids);
    }
    const isQuiet = String(idsInList(await read('page_size=50'))) === String(before);
    const isRight = isQuiet ? String(seen) === String(before.slice(0, seen.length)) : !own.some(isMissing);
    if (isRight && !own.some(isMissing)) return;
    const attempts = isQuiet ? quietAttempts : disturbedAttempts;
    expect(attempt < attempts, `the pages of ${size} records do not add up to the list`, last);
  }
}
