import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { loadPage } from '../../testing/scenarios/pages.ts';
import { useTestServer } from '../../testing/test-server.ts';
import { renderLlmsText } from './llms-text.ts';

const server = useTestServer();
const load = (path: string) => loadPage(server().url, path);
it('has a title, a summary and lists of links, as plain text', async () => {
  const { status, headers, text } = await load('/llms.txt');
  const [head = '', ...sections] = text.split(/^## /m);

  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(head).toMatch(/^# Agent Platform\n\n> .+\n\n/);
  expect(sections.length).toBeGreaterThan(1);
  for (const section of sections)
    expect(section.trimEnd()).toMatch(/^.+\n(\n- \[[^\]]+\]\(http\S+\): .+(?=\n|$)|\n(?=\n))+$/);
});

it('links to what the server provides', async () => {
  const { text } = await load('/llms.txt');
  const places = [...text.matchAll(/\]\(http:\/\/platform\.test(\/[^)]*)\)/g)].map(([, path = '']) => path);

  expect(places).toHaveLength([...text.matchAll(/\]\(/g)].length);
  expect(places).toEqual(expect.arrayContaining(['/openapi.json', '/about', '/agents']));
  for (const path of places) expect((await load(path)).status, path).toBe(200);
});

it('serves the skill of the repository', async () => {
  const { headers, text } = await load('/skills/agentp/SKILL.md');

  expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  expect(text).toBe(await readFile(new URL('../../../skills/agentp/SKILL.md', import.meta.url), 'utf8'));
});

it('links to the documentation if the server has it, below the address of the server', () => {
  const operator = { name: undefined, contact: undefined, termsUrl: undefined, abuseContact: undefined };
  const page = { url: 'https://agents.example/platform', operator: { ...operator, installCommand: undefined } };

  expect(renderLlmsText({ ...page, hasDocs: true })).toContain('(https://agents.example/platform/docs/llms.txt)');
  expect(renderLlmsText({ ...page, hasDocs: false })).not.toContain('/docs');
});
