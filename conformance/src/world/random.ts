import { here } from './here.ts';

/** So many random bytes. */
export function randomBytes(size: number): Buffer {
  return here().randomBytes(size);
}

/** A random UUID of version 4. */
export function randomUUID(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
