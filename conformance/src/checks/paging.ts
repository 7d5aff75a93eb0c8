import type { ApiClient } from '../context/agent.ts';
import { expect } from '../context/expectations.ts';
import type { Exchange } from '../context/http/http-client.ts';

/** Reads a page of a list. */
export async function readPage(client: ApiClient, path: string, query = 'page_size=50'): Promise<Exchange> {
  const answer = expect.status(await client.get(query === '' ? path : `${path}?${query}`), 200);
  expect.list(answer);
  return answer;
}

/** Expects lists for the valid queries, and 400 with this code, or any malformed one, for the others. */
export async function expectPageBounds(
  client: ApiClient,
  path: string,
  { maxPage, code }: { readonly maxPage: number; readonly code?: string },
): Promise<void> {
  for (const query of [`page=${maxPage}`, 'page_size=50', 'page=1&page_size=1']) {
    await readPage(client, path, query);
  }
  const wrong = ['page=0', `page=${maxPage + 1}`, 'page=-1', 'page=1.5', 'page=x'];
  for (const query of [...wrong, 'page_size=0', 'page_size=51', 'page_size=all']) {
    const answer = await client.get(`${path}?${query}`);
    if (code === undefined) expect.malformed(answer);
    else expect.refusal(answer, 400, code);
  }
}
