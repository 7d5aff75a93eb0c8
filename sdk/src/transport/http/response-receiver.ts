import { appendHeader, type HeaderFields } from './response-headers.ts';

export interface RequestController {
  abort(error: Error): void;
}

/** Receives a response from any version of undici; versions before 7 only call the last five methods. */
export abstract class ResponseReceiver {
  abstract onRequestStart(controller: RequestController): void;
  abstract onResponseStart(controller: unknown, status: number, headers: Headers | HeaderFields): void;
  abstract onResponseData(controller: unknown, chunk: Buffer): void;
  abstract onResponseEnd(): void;
  abstract onResponseError(controller: unknown, error: Error): void;

  onConnect(abort: (error: Error) => void): void {
    this.onRequestStart({ abort });
  }

  onHeaders(status: number, raw: readonly Buffer[]): boolean {
    this.onResponseStart(undefined, status, toHeaders(raw));
    return true;
  }

  onData(chunk: Buffer): boolean {
    this.onResponseData(undefined, chunk);
    return true;
  }

  onComplete(): void {
    this.onResponseEnd();
  }

  onError(error: Error): void {
    this.onResponseError(undefined, error);
  }
}

/** Converts the list of alternating names and values that undici before version 7 passes as headers. */
export function toHeaders(raw: readonly Buffer[]): Headers {
  const headers = new Headers();
  for (let at = 0; at < raw.length; at += 2) appendHeader(headers, String(raw[at]), String(raw[at + 1]));
  return headers;
}
