import tweetnacl from 'tweetnacl';
import { describe, expect, it } from 'vitest';
import * as keys from './encryption-key.ts';

const { decodeBase64, encodeBase64 } = keys;
const findKeyFault = (key: Uint8Array) => keys.findKeyFault(key, tweetnacl.scalarMult);
const findEncodedKeyFault = (text: string) => keys.findEncodedKeyFault(text, tweetnacl.scalarMult);

const prime = 2n ** 255n - 19n;

/** A number as the 32 little-endian bytes of a field element. */
function toKey(value: bigint): Uint8Array {
  const hex = value.toString(16).padStart(64, '0');
  return new Uint8Array(Buffer.from(hex, 'hex').reverse());
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (const bit of exponent.toString(2)) result = (result * result * (bit === '1' ? base : 1n)) % prime;
  return result;
}

function withTopBit(key: Uint8Array): Uint8Array {
  return key.map((byte, index) => (index === 31 ? byte | 0x80 : byte));
}

const orderEight = [
  0x00b8495f16056286fdb1329ceb8d09da6ac49ff1fae35616aeb8413b7c7aebe0n,
  0x57119fd0dd4e22d8868e1c58c45c44045bef839c55b1d0b1248c50a3bc959c5fn,
];

/** All encodings of points of small order: five points, two of them with a second encoding below 2^255. */
const lowOrder: [name: string, key: Uint8Array][] = [
  ['0', toKey(0n)],
  ['1', toKey(1n)],
  ['the first of order 8', toKey(orderEight[0] ?? 0n)],
  ['the second of order 8', toKey(orderEight[1] ?? 0n)],
  ['p - 1', toKey(prime - 1n)],
  ['p', toKey(prime)],
  ['p + 1', toKey(prime + 1n)],
];
const all = lowOrder.flatMap(([name, key]): typeof lowOrder => [
  [name, key],
  [`${name} with the top bit`, withTopBit(key)],
]);

describe('a public key of small order', () => {
  it('has 14 encodings', () => {
    expect(new Set(all.map(([, key]) => encodeBase64(key))).size).toBe(14);
  });

  it.each(all)('%s leads to the all-zero secret, and is refused', (_name, key) => {
    const { secretKey } = tweetnacl.box.keyPair();

    expect(tweetnacl.scalarMult(secretKey, key)).toEqual(new Uint8Array(32));
    expect(findKeyFault(key)).toBeDefined();
    expect(findEncodedKeyFault(encodeBase64(key))).toBeDefined();
  });
});

describe('a public key', () => {
  it('of a key pair is accepted', () => {
    for (let round = 0; round < 100; round += 1) {
      const { publicKey, secretKey } = tweetnacl.box.keyPair();

      expect(findKeyFault(publicKey)).toBeUndefined();
      expect(tweetnacl.scalarMult(secretKey, publicKey)).not.toEqual(new Uint8Array(32));
    }
  });

  it.each([
    ['9, the base point,', 9n, undefined],
    ['2', 2n, 'of-no-key-pair'],
    ['p - 2', prime - 2n, 'of-no-key-pair'],
    ['p - 1', prime - 1n, 'low-order'],
    ['p', prime, 'not-a-field-element'],
    ['p + 1', prime + 1n, 'not-a-field-element'],
    ['p + 2', prime + 2n, 'not-a-field-element'],
    ['2^255 - 1', 2n ** 255n - 1n, 'not-a-field-element'],
    ['2^255 + 2', 2n ** 255n + 2n, 'not-a-field-element'],
    ['2^256 - 1', 2n ** 256n - 1n, 'not-a-field-element'],
    ['p - 2 without its last middle byte', prime - 2n - 2n ** 240n, 'of-no-key-pair'],
  ])('of the value %s is accepted or refused', (_name, value, fault) => {
    expect(findKeyFault(toKey(value))).toBe(fault);
  });

  it('plus a point of low order has the same secrets, and is refused', () => {
    const { publicKey, secretKey } = tweetnacl.box.keyPair();
    const value = BigInt(`0x${Buffer.from(publicKey.toReversed()).toString('hex')}`);
    // The point of order 2 is (0, 0); adding it to a point maps u to 1 / u.
    const sum = toKey(power(value, prime - 2n));
    const own = tweetnacl.box.keyPair().secretKey;

    expect(tweetnacl.scalarMult(own, sum)).toEqual(tweetnacl.scalarMult(own, publicKey));
    expect(tweetnacl.scalarMult(secretKey, sum)).toEqual(tweetnacl.scalarMult(secretKey, publicKey));
    expect([findKeyFault(sum), findKeyFault(publicKey)]).toEqual(['of-no-key-pair', undefined]);
  });

  it.each([0, 31, 33, 64])('of %d bytes is refused', (length) => {
    expect(findKeyFault(new Uint8Array(length).fill(9))).toBe('not-32-bytes');
  });
});

describe('base64', () => {
  const key = new Uint8Array(32).fill(0xfb);
  const text = encodeBase64(key);

  it('is decoded to the bytes that were encoded', () => {
    for (const length of [0, 1, 2, 3, 24, 32]) {
      const bytes = new Uint8Array(length).map((_, index) => index * 37);

      expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes);
    }
  });

  it('is also encoded from a part of a larger buffer', () => {
    expect(encodeBase64(new Uint8Array([1, 2, 3, 4, 5]).subarray(1, 4))).toBe('AgME');
  });

  it.each([
    ['the url alphabet', text.replaceAll('+', '-').replaceAll('/', '_')],
    ['missing padding', text.replace('=', '')],
    ['too much padding', `${text}=`],
    ['white space in front', ` ${text}`],
    ['a line feed at the end', `${text}\n`],
    ['white space inside', `${text.slice(0, 10)} ${text.slice(10)}`],
    ['stray bits in the last letter', text.replace(/.=$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}=`)],
    ['a letter outside of the alphabet', `!${text.slice(1)}`],
    ['a NUL', `${text.slice(0, 20)}\0${text.slice(20)}`],
  ])('with %s is not canonical', (_name, wrong) => {
    expect(wrong).not.toBe(text);
    expect(decodeBase64(wrong)).toBeUndefined();
    expect(findEncodedKeyFault(wrong)).toBe('not-canonical-base64');
  });
});
