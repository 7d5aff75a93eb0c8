import { expect, it } from 'vitest';
import { safeFileName } from './safe-file-name.ts';

const pdf = 'application/pdf';

it('returns a name that denotes one visible file on every system, or the id of the file', () => {
  const sent = { id: '../id', media_type: pdf };
  expect(safeFileName({ ...sent, filename: '..\\etc/\u202e-rf: \u3164.sh' })).toBe('rf_ .sh.pdf');
  expect(safeFileName(sent)).toBe('id.pdf');
});
