export interface Chromium {
  readonly executablePath: string;
  /** Environment variables for the browser process, besides those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}
