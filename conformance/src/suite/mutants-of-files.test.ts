import { describe, it } from 'vitest';
import { expectDetected, startReferenceServerForTests } from '../../testing/expect-detected.ts';
import { selectTestedMutants } from '../../testing/fixed-faults.ts';
import { filesMutants } from '../../testing/mutants/all-mutants.ts';

const server = startReferenceServerForTests();

describe('a server with a fault in files and images is detected where it', () => {
  it.each(selectTestedMutants(filesMutants))('$name', (mutant) => expectDetected(server(), mutant));
});
