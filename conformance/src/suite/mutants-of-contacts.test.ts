import { describe, it } from 'vitest';
import { expectDetected, startReferenceServerForTests } from '../../testing/expect-detected.ts';
import { selectTestedMutants } from '../../testing/fixed-faults.ts';
import { contactMutants } from '../../testing/mutants/contact-mutants.ts';

const server = startReferenceServerForTests();

describe('a server with a fault in contacts is detected where it', () => {
  it.each(selectTestedMutants(contactMutants))('$name', (mutant) => expectDetected(server(), mutant));
});
