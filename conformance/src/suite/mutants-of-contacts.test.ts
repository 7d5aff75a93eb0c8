import { describe, it } from 'vitest';
import { expectDetected, useReferenceServer } from '../../testing/expect-detected.ts';
import { fixedOf } from '../../testing/fixed-faults.ts';
import { contactMutants } from '../../testing/mutants/contact-mutants.ts';

const server = useReferenceServer();

describe('a server with a fault in contacts is detected where it', () => {
  it.each(fixedOf(contactMutants))('$name', (mutant) => expectDetected(server(), mutant));
});
