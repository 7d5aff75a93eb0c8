import { expect, it } from 'vitest';
import { safeFileName } from './safe-file-name.ts';

const pdf = 'application/pdf';

it('saves a file under a name that every system takes for one visible file, or under its id', () => {
  const sent = { id: '../id', media_type: pdf };
  expect(safeFileName({ ...sent, filename: '..\\etc/\u202e-rf: \u3164.sh' })).toBe('rf_ .sh.pdf');
  expect(safeFileName(sent)).toBe('id.pdf');
});
