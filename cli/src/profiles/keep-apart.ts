import { type CredentialStore, fileCredentials } from '@agent-platform/sdk';
import { setAside } from './pending-registration.ts';

/**
 * The store of a profile for one agent. While a rotation was under way another
 * process may have registered a new agent under the same name; saving the old
 * agent's token must not replace the new agent's, so that one is set aside.
 */
export function keepApart(file: string, botId: string): CredentialStore {
  const kept = fileCredentials(file);
  return {
    load: () => kept.load(),
    check: () => kept.check(),
    save: async (credential) => {
      const present = await kept.load().catch(() => undefined);
      if (present !== undefined && present.bot_id !== botId) await setAside(file);
      await kept.save(credential);
    },
  };
}
