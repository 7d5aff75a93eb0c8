import { parseBuildTable } from '../faulty-build.ts';

export const limitBuilds = parseBuildTable(
  'limits',
  `
counts one change too many in a minute | writes | PLATFORM_WRITES_PER_MINUTE=121
counts one change too few in a minute | writes | PLATFORM_WRITES_PER_MINUTE=119
counts one message too many in a minute | messages | PLATFORM_MESSAGES_PER_MINUTE=61
counts one message too few in a minute | messages | PLATFORM_MESSAGES_PER_MINUTE=59
`,
);
