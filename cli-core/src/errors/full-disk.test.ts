import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { toFailure } from './to-failure.ts';

it.skipIf(process.platform !== 'linux')('does not report a full disk as a bug', async () => {
  const error = await writeFile('/dev/full', 'x').catch((reason: unknown) => reason);

  expect(toFailure(error).report).toMatchObject({ code: 'file_error', hint: expect.stringContaining('space') });
});
