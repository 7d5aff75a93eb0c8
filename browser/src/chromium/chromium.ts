export interface Chromium {
  readonly executablePath: string;
  /** Environment variables for the browser process, in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}
