import { McpServer } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
import { LegacySessions } from './legacy-sessions.ts';

function post(method: string, params: object, headers: Record<string, string> = {}): Request {
  return new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
}

const open = () =>
  post('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } });

it('serves sixteen clients of earlier revisions, and ends the session that was used least recently', async () => {
  const sessions = new LegacySessions(
    () => new McpServer({ name: 'test', version: '1' }, { capabilities: { tools: {} } }),
  );
  onTestFinished(() => sessions.close());
  const ids: string[] = [];
  const statusOf = async (id = '') => (await sessions.fetch(post('ping', {}, { 'mcp-session-id': id }))).status;
  for (let count = 0; count < 16; count += 1) {
    const response = await sessions.fetch(open());
    ids.push(response.headers.get('mcp-session-id') ?? '');
  }
  expect(await statusOf(ids[0])).toBe(200);
  await sessions.fetch(open());

  expect(await Promise.all([0, 1, 2, 15].map((at) => statusOf(ids[at])))).toEqual([200, 404, 200, 200]);
  expect(await statusOf('another')).toBe(404);
  expect((await sessions.fetch(post('ping', {}))).status).toBe(400);
});
