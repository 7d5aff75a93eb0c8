import type { Daemon } from '../processes/daemon.ts';

/** A started S3 server and its access key. */
export interface StartedS3 {
  readonly port: number;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The process that serves clients. */
  readonly main: Daemon;
  readonly remove: () => Promise<void>;
}
