/** What a profile may be called, in words. */
export const profileNameRule = 'Use 1 to 64 of a-z, 0-9, "_" and "-", beginning with a letter or a digit.';

/**
 * Tells whether a text can name a profile. The name becomes a file name: there
 * is no dot in it, so that it leads nowhere else and never meets the files kept
 * beside a profile, and no capital, so that it means one file everywhere.
 */
export function isProfileName(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(text);
}
