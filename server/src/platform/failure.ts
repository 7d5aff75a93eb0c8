import { errorStatuses, limits } from '@agent-platform/contract';
import { InvalidRequestError } from '@agent-platform/contract/validation';
import { errorCodeOf } from './error-facts.ts';
import { Refusal } from './refusal.ts';

/** The framework's errors for faulty requests, each mapped to an error code of the API. */
const frameRefusals: Readonly<Record<string, () => Refusal>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => bodyTooLargeRefusal(),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => unsupportedMediaTypeRefusal(),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new Refusal('invalid_input', 'The body is shorter than Content-Length. Send the complete body.'),
  FST_ERR_MAX_PARAM_LENGTH: () => pathNotFoundRefusal(),
  // The client disconnected while sending its body. No response can reach it, but this is not an internal error.
  ECONNRESET: () => new Refusal('invalid_input', 'The request ended before it was complete. Send it again.'),
};

export function bodyTooLargeRefusal(what = 'The body', maxBytes: number = limits.jsonBodyMaxBytes): Refusal {
  return new Refusal(
    'body_too_large',
    `${what} exceeds the limit of ${maxBytes.toLocaleString('en')} bytes. Send less.`,
  );
}

export function unsupportedMediaTypeRefusal(): Refusal {
  return new Refusal('unsupported_media_type', 'The body must be JSON: send Content-Type: application/json.');
}

export function formRequiredRefusal(): Refusal {
  return new Refusal('unsupported_media_type', 'The body must be a form: send Content-Type: multipart/form-data.');
}

export function pathNotFoundRefusal(): Refusal {
  return new Refusal('not_found', 'This path does not exist. /openapi.json lists the paths.');
}

export function unavailableRefusal(cause?: unknown): Refusal {
  return new Refusal('unavailable', 'The service is temporarily unavailable. Try again shortly.', {
    retryAfterSeconds: 2,
    cause,
  });
}

/** Returns undefined for an internal error. */
export function toRefusal(error: unknown, isUnavailable: (error: unknown) => boolean): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof InvalidRequestError) return new Refusal(error.code, error.message, detailsOf(error));
  if (isUnavailable(error)) return unavailableRefusal(error);
  return frameRefusals[errorCodeOf(error) ?? '']?.();
}

function detailsOf({ details }: InvalidRequestError) {
  return details === undefined ? {} : { details };
}

/** The response to an internal error; the details are only in the log. */
export const internalErrorReply = {
  status: errorStatuses.internal_error,
  body: {
    error: {
      code: 'internal_error',
      message: 'Internal server error. Report the request-id to the operator, who can find the cause in the log.',
    },
  },
} as const;
