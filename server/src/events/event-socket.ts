import { WebSocket } from 'ws';

// The close codes of protocol errors: malformed frames, invalid text, too many fragments. §7.31 treats these as invalid
// acks.
const protocolFaults: ReadonlySet<number> = new Set([1002, 1007, 1008]);

/** The time in which a peer must answer a close frame before its connection is terminated. */
export const socketCloseTimeoutMs = 1_000;

/** A WebSocket of the event stream; it closes with the codes of §7.29 and records which one it sent. */
export class EventSocket extends WebSocket {
  /** The code with which this side closed the connection, whether or not the peer received it. */
  closedWith: number | undefined;

  override close(code?: number, reason?: string | Buffer): void {
    const sent = code !== undefined && protocolFaults.has(code) ? 4400 : code;
    this.closedWith ??= sent;
    super.close(sent, reason);
  }
}
