// The encodings of the five points of low order: five below the prime and two above it. X25519 ignores the top bit, so
// setting this bit in each of the seven gives another encoding.
const encodings = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
];

/** All fourteen encodings of the points of low order, in base64. */
export const lowOrderKeys: readonly string[] = encodings.flatMap((hex) => {
  const key = Buffer.from(hex, 'hex');
  const withTopBit = Buffer.from(key);
  withTopBit[31] = (withTopBit[31] ?? 0) | 0x80;
  return [key.toString('base64'), withTopBit.toString('base64')];
});

/** Non-canonical encodings of ordinary points, which generated keys never have. */
export const nonCanonicalKeys: readonly string[] = [
  // 2^255 - 19 + 9: an encoding of the base point above the prime.
  'f6ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  // The base point with the top bit set.
  '0900000000000000000000000000000000000000000000000000000000000080',
].map((hex) => Buffer.from(hex, 'hex').toString('base64'));
