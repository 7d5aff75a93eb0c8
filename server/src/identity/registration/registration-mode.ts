/** Who may register: everyone, holders of an invitation, or no one. */
export const registrationModes = ['open', 'invitation', 'closed'] as const;
export type RegistrationMode = (typeof registrationModes)[number];

export function isRegistrationMode(text: string): text is RegistrationMode {
  return registrationModes.some((mode) => mode === text);
}
