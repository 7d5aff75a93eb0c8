// The runtime for browsers and workers: `fetch` and WebCrypto. Everything else throws an error that suggests an
// alternative.
import { ConfigurationError } from './errors.ts';
import type * as node from './runtime-node.ts';

function refuse(call: string, instead: string): () => never {
  return () => {
    throw new ConfigurationError(`${call} needs Node.js, Bun or Deno; this runtime has no files. ${instead}`);
  };
}

const memory = 'Use memoryState(), or a ClientState of your own.';

export const fileCredentials: typeof node.fileCredentials = refuse(
  'fileCredentials()',
  'Use memoryCredentials(credential), or a CredentialStore of your own.',
);
export const folderState: typeof node.folderState = refuse('folderState()', memory);
export const sqliteState: typeof node.sqliteState = refuse('sqliteState()', memory);
export const openAgentFolder: typeof node.openAgentFolder = refuse(
  'AgentPlatform.open()',
  'Use new AgentPlatform({ baseUrl, credentials: memoryCredentials(credential), state: memoryState() }).',
);

/** Undefined, so that requests are sent by `fetch`. */
export const exchange: typeof node.exchange | undefined = undefined;

/** A browser WebSocket cannot send the token in a header, and no other way is allowed. */
export const openStream: typeof node.openStream = async () => {
  throw new ConfigurationError(
    'The event stream needs Node.js, Bun or Deno: a WebSocket of this runtime cannot send the token in a header. Receive events on a server of your own and pass them on, or set openStream.',
  );
};
