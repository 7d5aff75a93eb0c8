// Apart from the front door: what a server of the API needs and a client does not. Compiling schemas costs start-up time.
export {
  changedContent,
  changesOf,
  findPostFault,
  isSameFileSet,
  mayRead,
  newContent,
  type PostContent,
  type PostFault,
  type PublicationContext,
  stateOf,
} from './post-rules.ts';
export { type Detail, InvalidRequest } from './request/invalid-request.ts';
export { describeDetail, prepareCheck, prepareValidation, type Validation } from './request/validate.ts';
