/** An executable Chromium. */
export interface Chromium {
  readonly executablePath: string;
  /** Environment variables of its process beside those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}
