import { type Auth, type Endpoint, endpoint, type Method, type Repeat } from '../endpoint.ts';

type Named<A extends Auth> = Pick<Endpoint, 'id' | 'tag' | 'method' | 'path' | 'repeat' | 'errors'> & {
  readonly auth: A;
};
type Details = Omit<Endpoint, keyof Named<Auth>> & Partial<Pick<Endpoint, 'repeat' | 'errors'>>;

/**
 * Declares operations of one part of the API for the same callers, by method. A
 * client repeats a `get` and no other, unless an operation says otherwise.
 */
export function endpointsOf<A extends Auth>(tag: Endpoint['tag'], auth: A) {
  const define =
    (method: Method, repeat: Repeat) =>
    <const D extends Details>(id: string, path: string, details: D) => {
      const named: Named<A> = { id, tag, method, path, auth, repeat, errors: [] };
      return endpoint({ ...named, ...details });
    };
  return {
    get: define('GET', 'safe'),
    post: define('POST', 'never'),
    patch: define('PATCH', 'never'),
    remove: define('DELETE', 'never'),
  };
}
