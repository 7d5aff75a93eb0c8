import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Credential, type CredentialError, fileCredentials } from '@agent-platform/sdk';
import { CuredError } from '../errors/failure.ts';
import type { Io } from '../io/io.ts';
import type { Profiles } from './profiles.ts';

/**
 * Keeps a credential that the server has issued and that its store could not
 * take: somewhere, as a file of its own, because it exists nowhere else. Tells
 * where, as the error to throw.
 */
export async function rescueCredential(
  error: CredentialError,
  credential: Credential,
  { profiles, io }: { readonly profiles: Profiles; readonly io: Pick<Io, 'homeFolder'> },
): Promise<Error> {
  const name = `rescued-${randomUUID()}.json`;
  const folders = [join(profiles.folder, 'profiles'), profiles.folder, io.homeFolder];
  for (const folder of folders) {
    const file = join(folder, name);
    try {
      await fileCredentials(file).save(credential);
      return new CuredError(error, `The credential is safe in ${file}. Mend the folder, then move it to its profile.`);
    } catch {
      // The next folder may take it.
    }
  }
  return error;
}
