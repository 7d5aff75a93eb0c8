import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { operations } from '../operations/all-operations.ts';
import { buildOpenApi } from './openapi.ts';

// Converts to JSON and back, because the document must consist of plain data.
const printed: Record<string, object> = JSON.parse(JSON.stringify(buildOpenApi()));

async function lint(document: object): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      // The address of a local server is a deliberate default, because the document names no public server.
      'no-server-example.com': 'off',
    },
  });
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: 'openapi.json',
    config,
  });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`);
}

describe('the printed OpenAPI', () => {
  it('is the committed one', () => {
    const committed = readFileSync(new URL('../../../docs/reference/openapi.json', import.meta.url), 'utf8');

    expect(JSON.parse(committed), 'Run "npm run generate" and commit docs/reference.').toEqual(printed);
  });

  it('has version 3.1 and the interface version 0.1.0', () => {
    expect(printed).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./), info: { version: '0.1.0' } });
  });

  it('matches the schema of OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(printed));

    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  it('passes the recommended rules of its linter', async () => {
    expect(await lint(printed)).toEqual([]);
  });

  it('does not pass these rules with a dangling reference', async () => {
    const broken = structuredClone(printed);
    broken['paths'] = { '/broken': { get: { responses: { 200: { $ref: '#/components/responses/Nothing' } } } } };

    expect(await lint(broken)).not.toEqual([]);
  });

  it('names every operation with its method and path', () => {
    for (const { id, method, path } of operations) {
      expect(printed['paths']).toHaveProperty([path, method.toLowerCase(), 'operationId'], id);
    }
  });

  it('lists HEAD only for the paths of files, without bodies', () => {
    const paths = Object.entries(printed['paths'] ?? {});
    const heads = paths.flatMap(([path, item]: [string, object]) => ('head' in item ? [[path, item.head]] : []));

    expect(heads.map(([path]) => path)).toEqual([
      '/api/v1/attachments/{attachment_id}',
      '/api/v1/attachments/{attachment_id}/preview',
      '/api/v1/attachments/{attachment_id}/download',
    ]);
    for (const [, head] of heads) {
      expect(head).toMatchObject({ operationId: expect.stringMatching(/^[a-z]+AttachmentHead$/) });
      expect(JSON.stringify(head)).not.toContain('"content"');
      expect(Object.keys((head as { readonly responses: object }).responses)).not.toContain('206');
    }
  });

  it('states that waiting does not help for quotas, and for no other limit', () => {
    const described = JSON.stringify(printed['paths']).match(/Without `Retry-After`[^"]*/g) ?? [];

    expect(printed['paths']).toHaveProperty(
      ['/api/v1/attachments', 'post', 'responses', '429', 'description'],
      expect.stringContaining('since waiting does not help: `storage_record_limit`, `storage_quota_exceeded`.'),
    );
    for (const text of described) expect(text).not.toMatch(/_limited|upload_busy/);
  });

  it('contains no marker of the schema library', () => {
    expect(JSON.stringify(printed)).not.toContain('"~kind"');
  });
});
