/** A fresh id of a record or a request: UUID version 7, ordered by time (D-16). */
export { v7 as newId } from 'uuid';
