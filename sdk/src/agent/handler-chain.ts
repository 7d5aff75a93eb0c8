import { checkHandler, checkOptions, type OptionKinds } from '../known-options.ts';

/** Handles a subject. `next` passes the subject on to the next handler whose filter matches. */
export type Handler<Subject> = (subject: Subject, next: () => Promise<void>) => unknown;

/** Decides whether a handler is called. */
export type Predicate<Subject> = (subject: Subject) => boolean | Promise<boolean>;

/** Values that fields must have; a RegExp is tested against the text. */
export type FieldMatch = Readonly<Record<string, string | RegExp>>;

/** Parses the arguments `(handler)` or `(filter, handler)` of the `on…` methods. */
export function parseHandlerArguments<Subject extends object>(
  call: string,
  kinds: OptionKinds<FieldMatch>,
  args: readonly unknown[],
): { readonly accepts: Predicate<Subject>; readonly handler: Handler<Subject> } {
  const [filter, handler] = args.length > 1 ? args : [() => true, args[0]];
  checkHandler(`${call}()`, handler, 'a message or contact request');
  if (typeof filter !== 'function') checkOptions<object>(`The filter of ${call}()`, filter as object, kinds);
  // The casts are safe, because the overloads of the `on…` methods check the argument types.
  const accepts = typeof filter === 'function' ? filter : (subject: Subject) => matches(subject, filter as FieldMatch);
  return { accepts: accepts as Predicate<Subject>, handler: handler as Handler<Subject> };
}

/** Calls the first handler with a matching filter, in order of registration; each `next()` calls the next match. */
export async function callHandlers<Subject>(
  handlers: readonly { readonly accepts: Predicate<Subject>; readonly handler: Handler<Subject> }[],
  subject: Subject,
  last: () => Promise<void> = async () => undefined,
): Promise<void> {
  const from = async (start: number): Promise<void> => {
    for (const [index, { accepts, handler }] of handlers.entries()) {
      if (index < start || !(await accepts(subject))) continue;
      await handler(subject, () => from(index + 1));
      return;
    }
    await last();
  };
  await from(0);
}

function matches(subject: object, match: FieldMatch): boolean {
  return Object.entries(match).every(([name, wanted]) => {
    const value: unknown = Reflect.get(subject, name);
    // Unlike `test`, `search` ignores the `lastIndex` of a RegExp with the flag g.
    return wanted instanceof RegExp ? typeof value === 'string' && value.search(wanted) >= 0 : value === wanted;
  });
}
