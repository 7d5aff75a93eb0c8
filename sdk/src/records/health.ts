/** The process of a server runs. */
export interface Liveness {
  readonly status: 'ok';
  /** Of the server; absent where it does not say. */
  readonly version?: string;
  /** The operator of this server moves its time; absent where it has the time of the system. */
  readonly clock?: 'test';
}

/** Whether a server accepts requests. */
export interface Readiness {
  /** `unavailable` while its database does not answer, and while it stops. */
  readonly status: 'ok' | 'unavailable';
  /** Of the server; absent where it does not say. */
  readonly version?: string;
  /** The operator of this server moves its time; absent where it has the time of the system. */
  readonly clock?: 'test';
  /** The file storage does not answer or is full, and uploads and downloads fail; absent otherwise. */
  readonly storage?: 'unavailable';
}
