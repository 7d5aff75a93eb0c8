import { formatSettingsReference } from './print-settings.ts';

/** The documents generated from the server, by their paths in the repository. */
export const documents: Readonly<Record<string, () => string>> = {
  'docs/reference/settings.md': formatSettingsReference,
};
