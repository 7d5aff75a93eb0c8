import {
  type AuthRequirement,
  defineEndpoint,
  type Endpoint,
  type HttpMethod,
  type Repeatability,
} from '../endpoint.ts';

type Named<A extends AuthRequirement, M extends HttpMethod> = Pick<
  Endpoint,
  'id' | 'tag' | 'path' | 'repeat' | 'errors'
> & {
  readonly auth: A;
  readonly method: M;
};
type Details = Omit<Endpoint, keyof Named<AuthRequirement, HttpMethod>> & Partial<Pick<Endpoint, 'repeat' | 'errors'>>;

/**
 * Returns functions, one per method, that declare operations of one part of the API for the same kind of caller.
 * Clients retry only `get`, unless an operation defines another `repeat`.
 */
export function makeEndpointDefiners<A extends AuthRequirement>(tag: Endpoint['tag'], auth: A) {
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
