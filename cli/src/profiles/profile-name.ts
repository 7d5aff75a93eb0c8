/** The rule for profile names. */
export const profileNameRule = 'Use 1 to 64 of a-z, 0-9, "_" and "-", starting with a letter or a digit.';

/**
 * Tells whether a text is a valid profile name. The name becomes a file name:
 * without dots it stays in its folder and apart from the files beside a profile,
 * and without capitals it is the same file on every system.
 */
export function isProfileName(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(text);
}
