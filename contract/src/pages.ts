import Type from 'typebox';
import { limits } from './limits.ts';
import { Nullable } from './schemas.ts';

/** The query parameters of a list with page numbers; `pageMax` depends on the list. */
export function makePageQuery(pageMax: number) {
  return {
    page: Type.Integer({ minimum: 1, maximum: pageMax, default: 1, 'x-refusal': 'invalid_pagination' }),
    page_size: Type.Integer({
      minimum: 1,
      maximum: limits.pageSizeMax,
      default: limits.pageSizeDefault,
      'x-refusal': 'invalid_pagination',
    }),
  };
}

/** The members of a page other than its items; there is no total (§1.30). */
export const pageProperties = {
  page: Type.Integer(),
  page_size: Type.Integer(),
  next_page: Nullable(Type.Integer({ description: 'Null when no item follows.' })),
};
