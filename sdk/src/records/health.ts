/** The process of a server runs. */
export interface Liveness {
  readonly status: 'ok';
  /** Of the server; absent where it does not say. */
  readonly version?: string;
}

/** Whether a server accepts requests. */
export interface Readiness {
  /** `unavailable` while its database or file storage does not answer, and while it stops. */
  readonly status: 'ok' | 'unavailable';
  /** Of the server; absent where it does not say. */
  readonly version?: string;
}
