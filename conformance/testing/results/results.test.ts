import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { hashBundle, readBundle } from '../../src/bundle/bundle.ts';
import { formatCanonicalJson } from '../../src/bundle/encoding.ts';
import { verifyBundle } from '../../src/bundle/verify.ts';
import { codeDigest, registerDigest } from '../../src/package-files.ts';
import { badgeOf, formatShieldJson } from '../../src/reports/badge.ts';
import { readPublishedResults } from './published.ts';

const schema = JSON.parse(readFileSync(new URL('../../report.schema.json', import.meta.url), 'utf8'));
const published = readPublishedResults();

describe('published results', () => {
  it('include the reference server', () => {
    expect(published.map(({ server }) => server)).toContain('agent-platform-server');
  });

  it.each(published)('of $server $version match the schema, their badge and their bundle', async (result) => {
    const ajv = new Ajv2020({ allowUnionTypes: true });
    addFormats.default(ajv);
    const fits = ajv.compile(schema);
    expect(fits(result.report), JSON.stringify(fits.errors)).toBe(true);

    const bundle = readBundle(join(result.folder, 'bundle.json.gz'));
    expect(bundle.hash).toBe(hashBundle(bundle));
    expect(formatCanonicalJson(bundle.report)).toBe(formatCanonicalJson(result.report));
    // A later suite has other requirements and sends other requests, so only the suite named in a bundle can judge it.
    if (bundle.register === registerDigest())
      expect(result.badge).toEqual(JSON.parse(formatShieldJson(badgeOf(result.report))));
    if (bundle.suite.digest === codeDigest()) expect((await verifyBundle(bundle)).faults).toEqual([]);
  });
});
