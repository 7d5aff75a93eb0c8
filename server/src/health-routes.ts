import { readAsyncApi, readLiveness, readOpenApi, readReadiness } from '@agent-platform/contract';
import { type Mount, reply } from './platform/http/mount.ts';
import type { Settings } from './platform/settings/settings.ts';
import { version } from './platform/versions.ts';

/** Dependencies of the health routes. */
interface HealthParts {
  readonly clock: Settings['clock'];
  /** Resolves true when everything is there that most requests depend on. */
  readonly isReady: () => Promise<boolean>;
  /** Resolves soon, false while the file storage does not answer or takes no files. */
  readonly hasStorage: () => Promise<boolean>;
  /** The contract as OpenAPI, printed for the address that agents see. */
  readonly openApi: () => object;
  /** The event stream as AsyncAPI, likewise. */
  readonly asyncApi: () => object;
}

/** Mounts liveness, readiness and the documents of the contract. */
export function mountHealth<Agent>(
  mount: Mount<Agent>,
  { clock, isReady, hasStorage, openApi, asyncApi }: HealthParts,
): void {
  const about = { version, ...(clock === 'test' ? { clock } : {}) };

  mount(readLiveness, async () => reply(200, { status: 'ok', ...about }));

  mount(readReadiness, async () => {
    const [ready, stored] = await Promise.all([isReady(), hasStorage()]);
    if (!ready) return reply(503, { status: 'unavailable', ...about });
    return reply(200, { status: 'ok', ...about, ...(stored ? {} : { storage: 'unavailable' as const }) });
  });

  const document = once(openApi);
  mount(readOpenApi, async () => reply(200, document()));

  const streamDocument = once(asyncApi);
  mount(readAsyncApi, async () => reply(200, streamDocument()));
}

/** Prints at the first request, so that the server starts without it. */
function once(print: () => object): () => object {
  let printed: object | undefined;
  return () => (printed ??= print());
}
