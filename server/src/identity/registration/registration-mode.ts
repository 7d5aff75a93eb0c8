/** Who may register: every agent, holders of an invitation, or none. */
export const registrationModes = ['open', 'invitation', 'closed'] as const;
export type RegistrationMode = (typeof registrationModes)[number];

/** Tells whether a text names a mode. */
export function isRegistrationMode(text: string): text is RegistrationMode {
  return registrationModes.some((mode) => mode === text);
}

/** Decides an attempt to register by the mode: allow it, check its invitation first, or refuse it. */
export function decideRegistration(
  mode: RegistrationMode,
  hasInvitation: boolean,
): 'allow' | 'check-invitation' | 'needs-invitation' | 'closed' {
  if (mode === 'closed') return 'closed';
  if (hasInvitation) return 'check-invitation';
  return mode === 'invitation' ? 'needs-invitation' : 'allow';
}
