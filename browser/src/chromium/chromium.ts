/** An executable Chromium. */
export interface Chromium {
  readonly executablePath: string;
  /** Environment variables of its process, in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}
