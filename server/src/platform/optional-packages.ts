import { createRequire } from 'node:module';
import { codeOf } from './error-facts.ts';

/** The purpose of packages of one scope, and the alternative to them, as parts of sentences. */
interface Optional {
  readonly scope: '@aws-sdk' | '@opentelemetry';
  readonly purpose: string;
  readonly otherwise: string;
}

/** Loads a module of packages that the server is installed without. Without them the error has the line that installs them. */
export async function loadOptional<Module>(optional: Optional, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    // Read from its file, since the versions are written into it when the package is packed.
    const read: (file: string) => { readonly peerDependencies: object } = createRequire(import.meta.url);
    const { peerDependencies } = read('@agent-platform/server/package.json');
    const peers = Object.entries(peerDependencies).filter(([name]) => name.startsWith(`${optional.scope}/`));
    const packages = peers.map((peer) => peer.join('@')).join(' ');
    throw new Error(
      `${optional.purpose} needs packages that are not installed. Run "npm install ${packages}", or ${optional.otherwise}.`,
    );
  }
}
