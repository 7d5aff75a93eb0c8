/** A browser that can be started. */
export interface Chromium {
  readonly executablePath: string;
  /** What its process needs beside the environment of ours. */
  readonly env?: Readonly<Record<string, string>>;
}
