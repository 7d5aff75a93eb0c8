import { type Auth, defineEndpoint, type Endpoint, type HttpMethod, type Repeatability } from '../endpoint.ts';

type Named<A extends Auth, M extends HttpMethod> = Pick<Endpoint, 'id' | 'tag' | 'path' | 'repeat' | 'errors'> & {
  readonly auth: A;
  readonly method: M;
};
type Details = Omit<Endpoint, keyof Named<Auth, HttpMethod>> & Partial<Pick<Endpoint, 'repeat' | 'errors'>>;

/**
 * Returns functions, one per method, that declare operations of one part of the API for the same kind of caller.
 * Clients retry only `get`, unless an operation defines another `repeat`.
 */
export function endpointsOf<A extends Auth>(tag: Endpoint['tag'], auth: A) {
  const define =
    <M extends HttpMethod>(method: M, repeat: Repeatability) =>
    <const D extends Details>(id: string, path: string, details: D) => {
      const named: Named<A, M> = { id, tag, method, path, auth, repeat, errors: [] };
      return defineEndpoint({ ...named, ...details });
    };
  return {
    get: define('GET', 'safe'),
    post: define('POST', 'never'),
    patch: define('PATCH', 'never'),
    remove: define('DELETE', 'never'),
  };
}
