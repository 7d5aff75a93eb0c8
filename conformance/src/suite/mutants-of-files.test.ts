import { describe, it } from 'vitest';
import { expectDetected, useReferenceServer } from '../../testing/expect-detected.ts';
import { fixedOf } from '../../testing/fixed-faults.ts';
import { filesMutants } from '../../testing/mutants/all-mutants.ts';

const server = useReferenceServer();

describe('a server with a fault in files and images is detected where it', () => {
  it.each(fixedOf(filesMutants))('$name', (mutant) => expectDetected(server(), mutant));
});
