/** Who may register: everybody, holders of an invitation, or nobody. */
export const registrationModes = ['open', 'invitation', 'closed'] as const;
export type RegistrationMode = (typeof registrationModes)[number];

/** Tells whether a text names a mode. */
export function isRegistrationMode(text: string): text is RegistrationMode {
  return registrationModes.some((mode) => mode === text);
}

/** What the mode says of an attempt: let it in, check its invitation first, or refuse it. */
export function decideRegistration(
  mode: RegistrationMode,
  hasInvitation: boolean,
): 'admit' | 'check-invitation' | 'needs-invitation' | 'closed' {
  if (mode === 'closed') return 'closed';
  if (hasInvitation) return 'check-invitation';
  return mode === 'invitation' ? 'needs-invitation' : 'admit';
}
