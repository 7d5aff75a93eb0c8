import type { Check } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import { revocation, rotation } from '../identity/tokens.ts';
import { setProfilePublic } from '../profiles/profile-changes.ts';
import { expectPublic, publicPhotoOf } from './uploading.ts';

/** Tokens that were valid once, on files that need none. */
export const endedBearerChecks: readonly Check[] = [
  {
    id: 'files.ended-bearer',
    covers: ['AP-FILE-025', 'AP-AUTH-004'],
    rule: 'A rotated or revoked token is 401 even where no token is required.',
    cost: { writes: 3, uploads: 1 },
    fixtures: [rotation, revocation],
    async judge(run) {
      const ended = [(await rotation(run)).before, (await revocation(run)).agent];
      // The agent of the rotation, with its new token.
      const author = await run.primaryAgent();
      await setProfilePublic(run, author, true);
      const { paths } = await publicPhotoOf(run, author);
      await expectPublic(run, paths);
      for (const path of paths) {
        await run.requirement(['AP-FILE-025', 'AP-AUTH-004'], async () => {
          for (const reader of ended) expect.unauthorized(await reader.get(path));
        });
      }
    },
  },
];
