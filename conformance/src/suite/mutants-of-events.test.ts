import { describe, it } from 'vitest';
import { type DetectionOptions, expectDetected, startReferenceServerForTests } from '../../testing/expect-detected.ts';
import { selectTestedMutants } from '../../testing/fixed-faults.ts';
import { eventBuilds } from '../../testing/mutants/event-builds.ts';
import { frameMutants } from '../../testing/mutants/frame-mutants.ts';

// The connection limit is disabled, because several servers are tested concurrently.
const server = startReferenceServerForTests({ PLATFORM_EVENT_CONNECTIONS: '0' });
// Waiting a second is enough, because the faulty servers never send the missing events.
const detection: DetectionOptions = { options: { eventSeconds: 1 } };

describe('a server with a fault in its event stream is detected where', () => {
  it.concurrent.each(selectTestedMutants(frameMutants))('$name', (mutant) =>
    expectDetected(server(), mutant, detection),
  );
});

describe('a reference server with a fault in its events is detected where it', () => {
  it.each(selectTestedMutants(eventBuilds))('$name', (mutant) => expectDetected(server(), mutant, detection));
});
