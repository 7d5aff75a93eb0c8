import { beforeAll, describe, it } from 'vitest';
import { expectDetected, registerPublicAgents, useReferenceServer } from '../../testing/expect-detected.ts';
import { publicLifeMutants } from '../../testing/mutants/all-mutants.ts';

const server = useReferenceServer();

beforeAll(() => registerPublicAgents(server()));

describe('a server with a fault in profiles and posts is detected where it', () => {
  it.each(publicLifeMutants)('$name', (mutant) => expectDetected(server(), mutant));
});
