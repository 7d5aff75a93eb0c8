import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { generateKeyPair } from '@agent-platform/sdk';
import { beforeAll, expect, it } from 'vitest';
import { decryptProfileFile, encryptProfileFile, type ProfileContent, parseProfileFile } from './profile-file.ts';

const { publicKey, secretKey } = generateKeyPair();
const content: ProfileContent = {
  exported_at: '2026-11-23T00:00:00.000Z',
  agentp: '0.1.0',
  profile: 'alice',
  credential: {
    origin: 'https://platform.example',
    bot_id: 'id-of-alice',
    handle: 'alice',
    token: 'apt_secret',
    token_expires_at: null,
    encryption_public_key: publicKey,
    encryption_secret_key: secretKey,
  },
  settings: { timeout: '60' },
  state: [{ name: 'state.sqlite', content: Buffer.from('a state').toString('base64') }],
};
// The same letter, once as one code point and once as a letter with a combining mark.
const [composed, decomposed] = ['gr\u00fcner reiher am see', 'gru\u0308ner reiher am see'];

// Deriving a key takes a third of a second, so all tests share one file.
let text: string;
beforeAll(async () => {
  text = await encryptProfileFile(content, composed);
});

const codeOf = (damagedText: string) => {
  try {
    parseProfileFile(damagedText);
    return undefined;
  } catch (error) {
    return error;
  }
};

function change(members: object, checksum?: 'with its checksum'): string {
  const file = { ...JSON.parse(text), ...members };
  const parts = ['agentp-profile 1', file.salt, file.nonce, file.sealed];
  if (checksum) file.sha256 = createHash('sha256').update(parts.join('\n')).digest('hex');
  return JSON.stringify(file);
}

it('opens with the passphrase, however its letters are encoded', async () => {
  expect(await decryptProfileFile(parseProfileFile(text), decomposed)).toEqual(content);
});

it('does not reveal its content', () => {
  for (const secret of ['apt_secret', secretKey, 'alice', 'platform.example']) expect(text).not.toContain(secret);
});

it('distinguishes a truncated, changed or newer file from a wrong passphrase', async () => {
  expect(codeOf(text.slice(0, -20))).toMatchObject({
    code: 'profile_file_damaged',
    message: expect.stringContaining('truncated'),
  });
  expect(codeOf('{"format":"another"}')).toMatchObject({
    code: 'profile_file_damaged',
    message: expect.stringContaining('not a profile file'),
  });
  expect(codeOf(change({ version: 2 }))).toMatchObject({ code: 'profile_file_newer' });
  const { sealed } = JSON.parse(text);
  const another = `${sealed.startsWith('A') ? 'B' : 'A'}${sealed.slice(1)}`;
  expect(codeOf(change({ sealed: another }))).toMatchObject({
    code: 'profile_file_damaged',
    message: expect.stringContaining('changed'),
  });

  await expect(decryptProfileFile(parseProfileFile(text), 'another passphrase')).rejects.toMatchObject({
    code: 'wrong_passphrase',
  });
  // If a file was changed together with its checksum, the error is that of a wrong passphrase. The tenth byte of a gzip
  // file has no effect, so only the authentication tag protects it.
  const bytes = Buffer.from(sealed, 'base64');
  bytes[9] = (bytes[9] ?? 0) ^ 1;
  const onPurpose = parseProfileFile(change({ sealed: bytes.toString('base64') }, 'with its checksum'));
  await expect(decryptProfileFile(onPurpose, composed)).rejects.toMatchObject({ code: 'wrong_passphrase' });
});

it('is documented so that another program can open it', async () => {
  const page = await readFile(new URL('../../../cli/docs/profile-file.md', import.meta.url), 'utf8');
  const [, code = ''] = /^```js\n(.*?)^```$/ms.exec(page) ?? [];
  const { open } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

  expect(open(text, decomposed)).toEqual(content);
});
