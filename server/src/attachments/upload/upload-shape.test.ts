import { describe, expect, it } from 'vitest';
import { findUploadFields, findUploadFormFault } from './upload-shape.ts';

const id = '01a1fe31-3ff3-7174-b607-1dac30292f58';
const purpose = { name: 'purpose', value: 'order' };
const uploadId = { name: 'upload_id', value: id };
const file = { bytes: 1 };

describe('the form of an upload', () => {
  it('has three fields in any order', () => {
    expect(findUploadFormFault([purpose, uploadId], file, false)).toBeUndefined();
    expect(findUploadFormFault([uploadId, purpose], file, false)).toBeUndefined();
  });

  it.each([
    ['without a purpose', [uploadId], file, false, '/purpose'],
    ['without an upload_id', [purpose], file, false, '/upload_id'],
    ['with an unknown purpose', [{ ...purpose, value: 'cover' }, uploadId], file, false, '/purpose'],
    ['with an upload_id that is no UUID', [purpose, { ...uploadId, value: '7' }], file, false, '/upload_id'],
    ['with a field twice', [purpose, uploadId, purpose], file, false, '/purpose'],
    ['with another field', [purpose, uploadId, { name: 'title', value: 'x' }], file, false, '/title'],
    ['with a field without a name', [purpose, { name: '', value: 'x' }], file, false, '/'],
    ['with too many parts', [purpose, uploadId], file, true, ''],
    // Faults in the fields are reported before a missing file.
    ['with another field and no file', [purpose, { name: 'x', value: '' }], undefined, false, '/x'],
    ['with only the purpose', [purpose], undefined, false, '/upload_id'],
  ])('is invalid_input %s', (_what, fields, sent, hasSurplus, path) => {
    expect(findUploadFormFault(fields, sent, hasSurplus)).toMatchObject({ code: 'invalid_input', path });
  });

  it.each([
    ['without a file', undefined],
    ['with an empty file', { bytes: 0 }],
  ])('is invalid_file %s', (_what, sent) => {
    expect(findUploadFormFault([purpose, uploadId], sent, false)).toMatchObject({
      code: 'invalid_file',
      path: '/file',
    });
  });
});

it('converts the upload id to lower case as soon as both fields are valid', () => {
  expect(findUploadFields([purpose])).toBeUndefined();
  expect(findUploadFields([purpose, { ...uploadId, value: id.toUpperCase() }])).toEqual({
    purpose: 'order',
    uploadId: id,
  });
  expect(findUploadFields([{ ...purpose, value: 'x' }, uploadId])).toBeUndefined();
});
