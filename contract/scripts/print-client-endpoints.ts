import type { TObject, TSchema } from 'typebox';
import { isJsonReply, operations } from '../src/index.ts';

/** Reduces each response to its required members and their types. */
export function renderClientEndpoints(): string {
  const printed = operations.map(({ id, method, path, auth, repeat, replies, errors }) => {
    const shapes = Object.entries(replies).map(([status, reply]) => [status, isJsonReply(reply) ? shapeOf(reply) : {}]);
    return [id, { id, method, path, auth, repeat, replies: Object.fromEntries(shapes), errors }];
  });
  return `${JSON.stringify(Object.fromEntries(printed), null, 2)}\n`;
}

function shapeOf(reply: TSchema): object {
  const { required = [], properties = {} } = reply as Partial<TObject>;
  const typeOf = (name: string): unknown => Reflect.get(properties[name] ?? {}, 'type');
  return { properties: Object.fromEntries(required.map((name) => [name, { type: typeOf(name) }])), required };
}
