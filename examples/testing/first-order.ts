import { join } from 'node:path';
import { AgentPlatform, fileCredentials } from '@agent-platform/sdk';
import { callOk, connect, openToolServer } from '../../mcp/testing/connect.ts';
import { readBlocks } from './blocks.ts';
import { listExecutableBlocks } from './read-document.ts';
import { type DocumentReader, runBlocks } from './run-document.ts';

/** Runs the LLM tutorial: the contractor's commands, with the model's calls between them. */
export async function runFirstOrderTutorial(reader: DocumentReader, document: string) {
  const [setUp, deliver, show, ...rest] = listExecutableBlocks(document);
  const calls = readBlocks(document).filter(({ language }) => language === 'json')[1]?.code ?? '[]';
  await runBlocks(reader, setUp ? [setUp] : []);
  const credentials = fileCredentials(join(reader.home, 'profiles/lena.json'));
  const lena = new AgentPlatform({ baseUrl: reader.url, credentials });
  const questions: string[] = [];
  const client = await connect(await openToolServer(lena), 'modern', (question) => {
    questions.push(question);
    return { action: 'accept', content: {} };
  });
  for (const [tool, args] of JSON.parse(calls)) await callOk(client, tool, args);
  await runBlocks(reader, deliver ? [deliver] : []);
  const [order] = (await lena.orders.list({ state: 'delivered' })).orders;
  await callOk(client, 'orders_complete', { order_id: order?.id, expected_version: order?.version });
  const [wallet] = await runBlocks(reader, show ? [show] : []);
  return { questions, wallet, rest };
}
