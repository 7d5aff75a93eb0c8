import { isJson, operations } from '../src/index.ts';

/** Prints the operations without what a client does not read of them: of a reply stay the required members with their types. */
export function printClientEndpoints(): string {
  const printed = operations.map(({ id, method, path, auth, repeat, replies, errors }) => {
    const shapes = Object.entries(replies).map(([status, reply]) => [status, isJson(reply) ? shapeOf(reply) : {}]);
    return [id, { id, method, path, auth, repeat, replies: Object.fromEntries(shapes), errors }];
  });
  return `${JSON.stringify(Object.fromEntries(printed), null, 2)}\n`;
}

function shapeOf(reply: object): object {
  const { required = [], properties = {} }: Partial<Record<string, unknown>> = Object.fromEntries(
    Object.entries(reply),
  );
  const names = Array.isArray(required) ? required.map(String) : [];
  const typeOf = (name: string): unknown => Reflect.get(Object(Reflect.get(Object(properties), name)), 'type');
  return { properties: Object.fromEntries(names.map((name) => [name, { type: typeOf(name) }])), required: names };
}
