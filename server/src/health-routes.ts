import { readAsyncApi, readLiveness, readOpenApi, readReadiness } from '@agent-platform/contract';
import { makeReply, type OperationMounter } from './platform/http/mount.ts';
import type { Settings } from './platform/settings/settings.ts';
import { serverVersion } from './platform/versions.ts';

interface HealthDependencies {
  readonly clock: Settings['clock'];
  /** Resolves to true if all services that most requests depend on are available. */
  readonly isReady: () => Promise<boolean>;
  /** Resolves quickly; false if the file storage does not respond or is not writable. */
  readonly hasStorage: () => Promise<boolean>;
  readonly openApi: () => object;
  readonly asyncApi: () => object;
}

export function mountHealth<Agent>(
  mount: OperationMounter<Agent>,
  { clock, isReady, hasStorage, openApi, asyncApi }: HealthDependencies,
): void {
  const about = { version: serverVersion, ...(clock === 'test' ? { clock } : {}) };

  mount(readLiveness, async () => makeReply(200, { status: 'ok', ...about }));

  mount(readReadiness, async () => {
    const [ready, stored] = await Promise.all([isReady(), hasStorage()]);
    if (!ready) return makeReply(503, { status: 'unavailable', ...about });
    return makeReply(200, { status: 'ok', ...about, ...(stored ? {} : { storage: 'unavailable' as const }) });
  });

  const document = once(openApi);
  mount(readOpenApi, async () => makeReply(200, document()));

  const streamDocument = once(asyncApi);
  mount(readAsyncApi, async () => makeReply(200, streamDocument()));
}

/** Generates the document at the first request, so that the server starts faster. */
function once(print: () => object): () => object {
  let printed: object | undefined;
  return () => (printed ??= print());
}
