import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { closeCodes } from '../event-stream.ts';
import { eventPayloads } from '../operations/event.ts';
import { buildAsyncApi } from './asyncapi.ts';

// Converts to JSON and back, because the document must consist of plain data.
const printed: Record<string, object> = JSON.parse(JSON.stringify(buildAsyncApi()));

async function lint(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: 'asyncapi.json', config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`);
}

describe('the printed AsyncAPI', () => {
  it('is the committed one', () => {
    const committed = readFileSync(new URL('../../../docs/reference/asyncapi.json', import.meta.url), 'utf8');

    expect(JSON.parse(committed), 'Run "npm run generate" and commit docs/reference.').toEqual(printed);
  });

  it('has version 3.0 and the interface version 0.1.0', () => {
    expect(printed).toMatchObject({ asyncapi: '3.0.0', info: { version: '0.1.0' } });
  });

  it('passes the structure of AsyncAPI 3 and the recommended rules', async () => {
    expect(await lint(printed)).toEqual([]);
  });

  it.each([
    [
      'a reference to nothing',
      { channels: { events: { messages: { gone: { $ref: '#/components/messages/gone' } } } } },
    ],
    ['a server without a host', { servers: { platform: { protocol: 'ws' } } }],
    [
      'an action that AsyncAPI lacks',
      { operations: { shout: { action: 'shout', channel: { $ref: '#/channels/events' } } } },
    ],
  ])('would not pass these checks with %s', async (_name, broken) => {
    expect(await lint({ ...structuredClone(printed), ...broken })).not.toEqual([]);
  });

  it('describes every kind of event, the ack and its answer', () => {
    const kinds = Object.keys(eventPayloads).map((kind) => kind.replace('.', '_'));

    expect(Object.keys(Reflect.get(printed['components'] ?? {}, 'messages'))).toEqual([...kinds, 'ack', 'acked']);
  });

  it('names every close code', () => {
    for (const code of Object.keys(closeCodes))
      expect(printed['channels']).toHaveProperty(['events', 'x-close-codes', code]);
  });

  it('names the server that agents connect to, with the prefix of the path', () => {
    expect(buildAsyncApi('wss://agents.example.org/stage')).toMatchObject({
      servers: { platform: { host: 'agents.example.org', pathname: '/stage', protocol: 'wss' } },
    });
  });

  it('contains no marker of the schema library', () => {
    expect(JSON.stringify(printed)).not.toContain('"~kind"');
  });
});
