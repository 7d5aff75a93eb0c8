import { WebSocket } from 'ws';

// Faults that the protocol of WebSocket has codes of its own for: invalid text,
// broken frames, too many pieces. Here they are what D-32 calls no valid ack.
const protocolFaults: ReadonlySet<number> = new Set([1002, 1007, 1008]);

/** The time to answer a close frame; then the connection is terminated. */
export const closeWithinMs = 1_000;

/** A WebSocket of the event stream: it closes with the codes of D-32, and knows afterwards with which. */
export class EventSocket extends WebSocket {
  /** The code that this side closed with, whether or not the peer has heard of it. */
  closedWith: number | undefined;

  override close(code?: number, reason?: string | Buffer): void {
    const told = code !== undefined && protocolFaults.has(code) ? 4400 : code;
    this.closedWith ??= told;
    super.close(told, reason);
  }
}
