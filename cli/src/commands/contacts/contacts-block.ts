import { contactChange } from './contact-change.ts';

/** Blocks a contact, for ever. */
export const contactsBlock = contactChange({
  action: 'block',
  summary: 'block a contact for ever; orders go on',
  outcome: 'is blocked',
});
