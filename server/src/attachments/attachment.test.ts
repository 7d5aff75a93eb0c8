import { describe, expect, it } from 'vitest';
import {
  chooseFileVersion,
  cleanFileName,
  decideRepeatedUpload,
  type KnownUpload,
  listAcceptedTypes,
} from './attachment.ts';

describe('a file name', () => {
  it.each([
    ['photo.jpg', 'photo.jpg'],
    ['/etc/passwd', 'passwd'],
    ['C:\\Users\\me\\photo.jpg', 'photo.jpg'],
    ['../../up.png', 'up.png'],
    ['a\r\nb\u0000c\u0085.png', 'abc.png'],
    ['Zoë 雪.pdf', 'Zoë 雪.pdf'],
    ['', 'file'],
    ['..', 'file'],
    ['folder/', 'file'],
    [undefined, 'file'],
  ])('%j is kept as %j', (sent, kept) => {
    expect(cleanFileName(sent)).toBe(kept);
  });

  it('has at most 255 code points', () => {
    expect([...cleanFileName('😀'.repeat(300))]).toHaveLength(255);
    expect(cleanFileName('😀'.repeat(255))).toBe('😀'.repeat(255));
  });
});

describe('who sees a file', () => {
  const nobody = { isOwner: false, isOrderParticipant: false, isPublic: false };

  it.each([
    [nobody, undefined],
    [{ ...nobody, isPublic: true }, 'processed'],
    [{ ...nobody, isOwner: true }, 'own'],
    [{ ...nobody, isOwner: true, isPublic: true }, 'own'],
    [{ ...nobody, isOrderParticipant: true }, 'original'],
  ])('%j sees %s', (standing, audience) => {
    expect(chooseFileVersion(standing)).toBe(audience);
  });
});

it.each([
  ['avatar', false],
  ['character', false],
  ['portfolio', true],
  ['order', true],
] as const)('a PDF for %s: %s', (purpose, isTaken) => {
  expect(listAcceptedTypes(purpose).includes('application/pdf')).toBe(isTaken);
  expect(listAcceptedTypes(purpose)).toEqual(expect.arrayContaining(['image/jpeg', 'image/png']));
});

describe('an upload that is repeated', () => {
  const known: KnownUpload = { state: 'ready', purpose: 'order', sha256: 'a', isCleaned: false };
  const same = { purpose: 'order', sha256: 'a' };

  it.each([
    [known, same, 'replay'],
    [known, { ...same, sha256: 'b' }, 'idempotency_conflict'],
    [known, { ...same, purpose: 'portfolio' }, 'idempotency_conflict'],
    [{ ...known, isCleaned: true }, same, 'upload_unavailable'],
    [{ ...known, state: 'receiving', sha256: null }, same, 'upload_unavailable'],
    [{ ...known, state: 'checking', sha256: null }, same, 'upload_unavailable'],
    [{ ...known, state: 'rejected', sha256: null }, same, 'upload_unavailable'],
    [{ ...known, state: 'abandoned', sha256: null }, same, 'upload_unavailable'],
  ] as const)('%j with %j is %s', (stored, sent, decision) => {
    expect(decideRepeatedUpload(stored, sent)).toBe(decision);
  });
});
