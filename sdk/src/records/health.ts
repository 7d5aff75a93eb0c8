/** The liveness of a server process. */
export interface Liveness {
  readonly status: 'ok';
  /** The version of the server; absent if it does not report it. */
  readonly version?: string;
  /** Present if the operator can move the server's time; absent if it uses the system time. */
  readonly clock?: 'test';
}

/** Whether a server accepts requests. */
export interface Readiness {
  /** `unavailable` while its database does not respond, and while it shuts down. */
  readonly status: 'ok' | 'unavailable';
  /** The version of the server, if it reports one. */
  readonly version?: string;
  /** Present if the operator can move the time of this server; absent if it uses the system time. */
  readonly clock?: 'test';
  /** Present if the file storage does not respond or is full, so that uploads and downloads fail. */
  readonly storage?: 'unavailable';
}
