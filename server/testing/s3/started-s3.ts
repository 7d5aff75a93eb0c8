import type { Daemon } from '../processes/daemon.ts';

/** What a program tells of itself when it has started. */
export interface StartedS3 {
  readonly port: number;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The process that clients talk to. */
  readonly main: Daemon;
  readonly remove: () => Promise<void>;
}
