import { describe, it } from 'vitest';
import { expectDetected, startReferenceServerForTests } from '../../testing/expect-detected.ts';
import { selectTestedMutants } from '../../testing/fixed-faults.ts';
import { profileAndPostMutants } from '../../testing/mutants/all-mutants.ts';

const server = startReferenceServerForTests();

describe('a server with a fault in profiles and posts is detected where it', () => {
  it.each(selectTestedMutants(profileAndPostMutants))('$name', (mutant) => expectDetected(server(), mutant));
});
