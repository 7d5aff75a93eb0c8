import { type BuildMutant, buildMutant } from '../faulty-build.ts';

/** Reference servers that count to another number than is stated, beside one that has no limits. */
export const limitBuilds: readonly BuildMutant[] = [
  buildMutant('counts one change too many in a minute', ['limits.writes'], () => ({
    settings: { PLATFORM_WRITES_PER_MINUTE: '121' },
  })),
  buildMutant('counts one change too few in a minute', ['limits.writes'], () => ({
    settings: { PLATFORM_WRITES_PER_MINUTE: '119' },
  })),
  buildMutant('counts one message too many in a minute', ['limits.messages'], () => ({
    settings: { PLATFORM_MESSAGES_PER_MINUTE: '61' },
  })),
  buildMutant('counts one message too few in a minute', ['limits.messages'], () => ({
    settings: { PLATFORM_MESSAGES_PER_MINUTE: '59' },
  })),
];
