/** The name of `hint` in version 0.1, which scripts may still read; the next version drops it. */
export const formerHintName = 'cure';

/** Adds the hint of a record under its former name. */
export function withFormerNames<T extends { readonly hint?: string }>(record: T): object {
  return record.hint === undefined ? record : { ...record, [formerHintName]: record.hint };
}
