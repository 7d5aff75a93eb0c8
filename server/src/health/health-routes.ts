import { readAsyncApi, readLiveness, readOpenApi, readReadiness } from '@agent-platform/contract';
import { type Mount, reply } from '../platform/http/mount.ts';
import type { Settings } from '../platform/settings/settings.ts';

/** What health needs to know of the rest of the server. */
interface HealthParts {
  /** Of the server. */
  readonly version: string;
  readonly clock: Settings['clock'];
  /** Resolves true when everything that an answer depends on is there. */
  readonly isReady: () => Promise<boolean>;
  /** The contract as OpenAPI, printed for the address that agents see. */
  readonly openApi: () => object;
  /** The event stream as AsyncAPI, likewise. */
  readonly asyncApi: () => object;
}

/** Mounts liveness, readiness and the documents of the contract. */
export function mountHealth<Agent>(
  mount: Mount<Agent>,
  { version, clock, isReady, openApi, asyncApi }: HealthParts,
): void {
  const about = { version, ...(clock === 'test' ? { clock } : {}) };

  mount(readLiveness, async () => reply(200, { status: 'ok', ...about }));

  mount(readReadiness, async () =>
    (await isReady()) ? reply(200, { status: 'ok', ...about }) : reply(503, { status: 'unavailable', ...about }),
  );

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
