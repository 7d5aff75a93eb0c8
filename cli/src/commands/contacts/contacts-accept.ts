import { contactChange } from './contact-change.ts';

/** Accepts a request. */
export const contactsAccept = contactChange({
  action: 'accept',
  summary: 'accept a request',
  outcome: 'is now a friend',
});
