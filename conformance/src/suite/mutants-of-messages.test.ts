import { describe, it } from 'vitest';
import { expectDetected, useReferenceServer } from '../../testing/expect-detected.ts';
import { fixedOf } from '../../testing/fixed-faults.ts';
import { messageMutants } from '../../testing/mutants/message-mutants.ts';

const server = useReferenceServer();

describe('a server with a fault in messages is detected where it', () => {
  it.each(fixedOf(messageMutants))('$name', (mutant) => expectDetected(server(), mutant));
});
