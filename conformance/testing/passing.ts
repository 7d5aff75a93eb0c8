/** A request in transit to the server. */
export interface PassingRequest {
  /** The time of arrival, in milliseconds since 1970. */
  readonly atMs?: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** In UTF-8; binary content has one character per byte. */
  readonly body: string;
}

/** A reply in transit to the client. */
export interface PassingReply {
  /** Sent byte for byte instead of everything else, before the connection ends. */
  readonly raw?: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** In UTF-8; binary content has one character per byte. */
  readonly body: string;
}

/** One connection to the event stream through the proxy. */
export interface FrameLink {
  /** The Authorization header of the client, which identifies its agent. */
  readonly authorization: string | undefined;
  toClient(frame: string): void;
  toServer(frame: string): void;
  /** The other open connections. */
  others(): readonly FrameLink[];
}

/** A handshake of the event stream. */
export interface PassingUpgrade {
  readonly url: string;
  readonly authorization: string | undefined;
}

/** How a faulty event stream differs: each frame becomes none, one or several. */
export interface FrameFault {
  /** Changes the handshake, or refuses it with a status. */
  readonly onUpgrade?: (upgrade: PassingUpgrade, open: readonly FrameLink[]) => PassingUpgrade | number;
  readonly onEvent?: (frame: string, link: FrameLink) => readonly string[];
  readonly onAck?: (frame: string, link: FrameLink) => readonly string[];
  /** The close code to send instead of this one; undefined keeps the connection open. */
  readonly onClose?: (code: number) => number | undefined;
  readonly onPing?: (link: FrameLink) => void;
  /** How long the server counts a closed connection as open, in milliseconds. */
  readonly releasesAfterMs?: number;
  /** Pings of the client are not answered. */
  readonly isDeaf?: boolean;
}

/** How a faulty server differs; every member is optional. */
export interface Fault {
  /** Changes the request, or answers without the server. */
  readonly onRequest?: (request: PassingRequest) => PassingRequest | PassingReply;
  readonly onReply?: (reply: PassingReply, request: PassingRequest) => PassingReply;
  /** An additional request to the server, before the client receives the reply. */
  readonly also?: (reply: PassingReply, request: PassingRequest) => PassingRequest | undefined;
  /** How many milliseconds to delay a request, and its reply. */
  readonly delays?: (request: PassingRequest) => readonly [request?: number, reply?: number];
  readonly frames?: FrameFault;
}
