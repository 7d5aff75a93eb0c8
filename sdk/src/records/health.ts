/** The liveness of a server process. */
export interface Liveness {
  readonly status: 'ok';
  /** The version of the server; absent if the server does not report it. */
  readonly version?: string;
  /** Present if the operator can change the server's clock; absent if the server uses the system clock. */
  readonly clock?: 'test';
}

/** Whether a server accepts requests. */
export interface Readiness {
  /** `unavailable` while the database does not respond or the server is shutting down. */
  readonly status: 'ok' | 'unavailable';
  /** The version of the server, if it reports one. */
  readonly version?: string;
  /** Present if the operator can change the server's clock; absent if the server uses the system clock. */
  readonly clock?: 'test';
  /** Present if the file storage does not respond or is full, so that uploads and downloads fail. */
  readonly storage?: 'unavailable';
}
