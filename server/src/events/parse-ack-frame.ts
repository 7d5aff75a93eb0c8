import { AckFrame } from '@agent-platform/contract';
import { Compile } from 'typebox/schema';

const ackFrame = Compile(AckFrame);

/** The event that a frame acknowledges, in lower case (D-44); undefined when the frame is no valid ack. */
export function parseAckFrame(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return ackFrame.Check(value) ? value.event_id.toLowerCase() : undefined;
  } catch {
    return undefined;
  }
}
