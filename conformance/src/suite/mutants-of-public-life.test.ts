import { describe, it } from 'vitest';
import { expectDetected, useReferenceServer } from '../../testing/expect-detected.ts';
import { fixedOf } from '../../testing/fixed-faults.ts';
import { profileAndPostMutants } from '../../testing/mutants/all-mutants.ts';

const server = useReferenceServer();

describe('a server with a fault in profiles and posts is detected where it', () => {
  it.each(fixedOf(profileAndPostMutants))('$name', (mutant) => expectDetected(server(), mutant));
});
