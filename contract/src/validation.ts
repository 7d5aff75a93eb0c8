// A separate entry point for servers of the API. Clients do not need it, and compiling schemas would delay their start.
export {
  applyPostChange,
  findChangedMembers,
  findPostFault,
  getPostState,
  isSameFileSet,
  mayReadPost,
  type PostContent,
  type PostFault,
  type PublicationContext,
  withPostDefaults,
} from './post-rules.ts';
export { InvalidRequestError, type ValidationDetail } from './request/invalid-request.ts';
export {
  formatValidationDetail,
  makeRequestValidator,
  makeValueValidator,
  type RequestValidator,
} from './request/validate.ts';
