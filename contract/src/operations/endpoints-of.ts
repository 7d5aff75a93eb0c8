import { type Auth, type Endpoint, endpoint, type Method, type Repeat } from '../endpoint.ts';

type Named<A extends Auth, M extends Method> = Pick<Endpoint, 'id' | 'tag' | 'path' | 'repeat' | 'errors'> & {
  readonly auth: A;
  readonly method: M;
};
type Details = Omit<Endpoint, keyof Named<Auth, Method>> & Partial<Pick<Endpoint, 'repeat' | 'errors'>>;

/**
 * Returns functions, one per method, that declare operations of one part of the API for the same kind of caller.
 * Clients retry only `get`, unless an operation defines another `repeat`.
 */
export function endpointsOf<A extends Auth>(tag: Endpoint['tag'], auth: A) {
  const define =
    <M extends Method>(method: M, repeat: Repeat) =>
    <const D extends Details>(id: string, path: string, details: D) => {
      const named: Named<A, M> = { id, tag, method, path, auth, repeat, errors: [] };
      return endpoint({ ...named, ...details });
    };
  return {
    get: define('GET', 'safe'),
    post: define('POST', 'never'),
    patch: define('PATCH', 'never'),
    remove: define('DELETE', 'never'),
  };
}
