// The entry point `@agent-platform/sdk/testing`: tools for tests, which an agent in production does not need.
import '../supported-node.ts';

export { buildEvent, type EventFields } from '../testing/build-event.ts';
export type { FakeClock } from '../testing/fake-clock.ts';
export {
  type FakeAgentOptions,
  type FakeConnection,
  FakePlatform,
  type FakePlatformOptions,
} from '../testing/fake-platform.ts';
export type { Faults, RefusalOptions } from '../testing/faults.ts';
export type { SeenRequest } from '../testing/router.ts';
export { type PlatformHandlers, type ServedPlatform, servePlatform } from '../testing/serve-platform.ts';
