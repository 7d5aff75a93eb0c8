import { describe, it } from 'vitest';
import { expectDetected, startReferenceServerForTests } from '../../testing/expect-detected.ts';
import { selectTestedMutants } from '../../testing/fixed-faults.ts';
import { messageMutants } from '../../testing/mutants/message-mutants.ts';

const server = startReferenceServerForTests();

describe('a server with a fault in messages is detected where it', () => {
  it.each(selectTestedMutants(messageMutants))('$name', (mutant) => expectDetected(server(), mutant));
});
