import { createRequire } from 'node:module';
import { errorCodeOf } from './error-facts.ts';

/** The purpose of the packages of a scope, and the alternative to installing them, as parts of an error message. */
interface Optional {
  readonly scope: '@aws-sdk' | '@opentelemetry';
  readonly purpose: string;
  readonly otherwise: string;
}

/**
 * Loads a module from packages that are not installed with the server. If they are missing, the error contains the
 * command that installs them.
 */
export async function loadOptionalModule<Module>(optional: Optional, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (errorCodeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    // Reads package.json, because the versions are written into it when the package is packed.
    const read: (file: string) => { readonly peerDependencies: object } = createRequire(import.meta.url);
    const { peerDependencies } = read('@agent-platform/server/package.json');
    const peers = Object.entries(peerDependencies).filter(([name]) => name.startsWith(`${optional.scope}/`));
    const packages = peers.map((peer) => peer.join('@')).join(' ');
    throw new Error(
      `${optional.purpose} needs packages that are not installed. Run "npm install ${packages}", or ${optional.otherwise}.`,
    );
  }
}
