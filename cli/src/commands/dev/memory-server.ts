import { hasSystemErrorCode } from '@agent-platform/cli-core/credentials/files';
import { messageOf } from '@agent-platform/cli-core/errors/failure';
import { type DevServer, makePortInUseFailure } from './server-process.ts';

export const memoryLimitations = 'nothing is stored, and files are not inspected';

/** Starts the fake platform of the SDK in this process. */
export function startMemoryServer(port: number): DevServer {
  const serving = serve(port);
  const url = serving.then((served) => served.url);
  // The caller awaits this promise; this catch only prevents an unhandled rejection.
  url.catch(() => undefined);
  return {
    url,
    grant: async (handle, amountMinor) => (await serving).platform.grant(handle, amountMinor),
    ended: new Promise(() => undefined),
    stop: async () => await (await serving.catch(() => undefined))?.close(),
  };
}

async function serve(port: number) {
  // Loaded on demand, because no other command needs the fake platform.
  const { FakePlatform, servePlatform } = await import('@agent-platform/sdk/testing');
  const platform = new FakePlatform();
  try {
    return { platform, ...(await servePlatform(platform, port)) };
  } catch (error) {
    if (hasSystemErrorCode(error, 'EADDRINUSE')) throw makePortInUseFailure(`The port is in use: ${messageOf(error)}`);
    throw error;
  }
}
