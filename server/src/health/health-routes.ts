import { readAsyncApi, readLiveness, readOpenApi, readReadiness } from '@agent-platform/contract';
import { type Mount, reply } from '../platform/http/mount.ts';

/** What health needs to know of the rest of the server. */
interface HealthParts {
  /** Of the server. */
  readonly version: string;
  /** Resolves true when everything that an answer depends on is there. */
  readonly isReady: () => Promise<boolean>;
  /** The contract as OpenAPI, printed for the address that agents see. */
  readonly openApi: object;
  /** The event stream as AsyncAPI, likewise. */
  readonly asyncApi: object;
}

/** Mounts liveness, readiness and the documents of the contract. */
export function mountHealth<Agent>(mount: Mount<Agent>, { version, isReady, openApi, asyncApi }: HealthParts): void {
  mount(readLiveness, async () => reply(200, { status: 'ok', version }));

  mount(readReadiness, async () =>
    (await isReady()) ? reply(200, { status: 'ok', version }) : reply(503, { status: 'unavailable', version }),
  );

  mount(readOpenApi, async () => reply(200, openApi));

  mount(readAsyncApi, async () => reply(200, asyncApi));
}
