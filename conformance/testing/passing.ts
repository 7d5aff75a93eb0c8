/** A request that passes the proxy on its way to the server. */
export interface ProxiedRequest {
  /** The time of arrival, in milliseconds since 1970. */
  readonly atMs?: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the client did not state the length of the body. */
  readonly isChunked?: boolean;
  /** The body as UTF-8 text; binary content has one character per byte. */
  readonly body: string;
}

/** A reply that passes the proxy on its way to the client. */
export interface ProxiedReply {
  /** Raw text to send instead of the members below; the connection is then closed. */
  readonly raw?: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as UTF-8 text; binary content has one character per byte. */
  readonly body: string;
}

export interface FrameLink {
  /** The Authorization header of the client, which identifies its agent. */
  readonly authorization: string | undefined;
  toClient(frame: string): void;
  toServer(frame: string): void;
  /** The other open connections. */
  others(): readonly FrameLink[];
}

export interface ProxiedUpgrade {
  readonly url: string;
  readonly authorization: string | undefined;
}

/** How a faulty event stream differs from a correct one; a frame may be replaced by none, one or several. */
export interface FrameFault {
  /** Changes the handshake, or refuses it with the returned status. */
  readonly onUpgrade?: (upgrade: ProxiedUpgrade, open: readonly FrameLink[]) => ProxiedUpgrade | number;
  readonly onEvent?: (frame: string, link: FrameLink) => readonly string[];
  readonly onAck?: (frame: string, link: FrameLink) => readonly string[];
  /** Returns the close code to send instead of this one; undefined keeps the connection open. */
  readonly onClose?: (code: number) => number | undefined;
  readonly onPing?: (link: FrameLink) => void;
  /** How long the server still counts a closed connection as open, in milliseconds. */
  readonly releasesAfterMs?: number;
  /** Whether the server keeps a connection open that ended without a close frame. */
  readonly keepsLost?: boolean;
  /** Whether the server ignores pings. */
  readonly isDeaf?: boolean;
}

/** How a faulty server differs from a correct one. */
export interface Fault {
  /** Changes the request, or answers it without the server. */
  readonly onRequest?: (request: ProxiedRequest) => ProxiedRequest | ProxiedReply;
  readonly onReply?: (reply: ProxiedReply, request: ProxiedRequest) => ProxiedReply;
  /** Returns an additional request to send to the server before the client receives the reply. */
  readonly also?: (reply: ProxiedReply, request: ProxiedRequest) => ProxiedRequest | undefined;
  /** Returns the delays of a request and of its reply in milliseconds. */
  readonly delays?: (request: ProxiedRequest) => readonly [request?: number, reply?: number];
  readonly frames?: FrameFault;
}
