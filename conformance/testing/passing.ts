/** A request on its way to the server. */
export interface PassingRequest {
  /** When it came, in milliseconds since 1970. */
  readonly atMs?: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** In UTF-8; what is not text has one character for each byte. */
  readonly body: string;
}

/** A reply on its way back. */
export interface PassingReply {
  /** Sent in place of everything else, byte for byte, before the connection ends. */
  readonly raw?: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** In UTF-8; what is not text has one character for each byte. */
  readonly body: string;
}

/** One connection to the event stream through the proxy. */
export interface FrameLink {
  /** The Authorization header of the client: whose connection it is. */
  readonly authorization: string | undefined;
  toClient(frame: string): void;
  toServer(frame: string): void;
  /** The other connections that are open now. */
  others(): readonly FrameLink[];
}

/** A handshake of the event stream. */
export interface PassingUpgrade {
  readonly url: string;
  readonly authorization: string | undefined;
}

/** What a faulty event stream does differently: each frame becomes none, one or several. */
export interface FrameFault {
  /** Changes the handshake, or refuses it with a status. */
  readonly onUpgrade?: (upgrade: PassingUpgrade, open: readonly FrameLink[]) => PassingUpgrade | number;
  readonly onEvent?: (frame: string, link: FrameLink) => readonly string[];
  readonly onAck?: (frame: string, link: FrameLink) => readonly string[];
  /** The close code that the client gets in place of this one; undefined leaves it connected. */
  readonly onClose?: (code: number) => number | undefined;
  readonly onPing?: (link: FrameLink) => void;
  /** How long the server takes a connection for open that its client has closed. */
  readonly releasesAfterMs?: number;
  /** Pings of the client are not answered. */
  readonly isDeaf?: boolean;
}

/** What a faulty server does differently; every part may be left out. */
export interface Fault {
  /** Changes the request, or replies without the server. */
  readonly onRequest?: (request: PassingRequest) => PassingRequest | PassingReply;
  readonly onReply?: (reply: PassingReply, request: PassingRequest) => PassingReply;
  /** One more request to the server, before the client gets the reply. */
  readonly also?: (reply: PassingReply, request: PassingRequest) => PassingRequest | undefined;
  /** How many milliseconds a request waits before the server gets it, and its reply before the client does. */
  readonly delays?: (request: PassingRequest) => readonly [request?: number, reply?: number];
  readonly frames?: FrameFault;
}
