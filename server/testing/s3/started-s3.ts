import type { Daemon } from '../processes/daemon.ts';

export interface StartedS3 {
  readonly port: number;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The process that serves clients. */
  readonly main: Daemon;
  readonly remove: () => Promise<void>;
}
