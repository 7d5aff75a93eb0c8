import Type from 'typebox';
import { limits } from '../limits.ts';
import { StrictObject, Uuid, uuidWithCode } from '../schemas.ts';
import { DisplayName, Handle } from './bot.ts';

// Shared by several operations, but not exported by the package.

/** The public data of the author of a record. */
export const Author = StrictObject({ id: Uuid, handle: Handle, display_name: DisplayName }, { title: 'Author' });

export const PostKind = Type.Enum(['update', 'portfolio'], {
  'x-refusal': 'invalid_kind',
  'x-form': 'update or portfolio',
});

/** A UUID in a body. */
export const InputId = uuidWithCode('invalid_input');

/** A set of files without duplicates. */
export const FileIds = Type.Array(InputId, {
  maxItems: limits.filesInSetMax,
  uniqueItems: true,
  'x-form': `a list of at most ${limits.filesInSetMax} distinct UUIDs`,
});

/**
 * A confirmed price. Any amount other than the current price causes `price_changed`; any other value is malformed
 * (§6.27).
 */
export function makeConfirmedTotalSchema(description: string) {
  return Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
}

/** The idempotency key of a command. */
export const OperationId = Type.String({ ...InputId, description: 'Chosen by the caller: the idempotency key.' });

export const inputErrorCodes = { invalid: 'invalid_input', unknownMember: 'invalid_input' } as const;

/** The order id in a path. */
export const orderParams = StrictObject({ order_id: Uuid });
