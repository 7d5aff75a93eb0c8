import { expect, it } from 'vitest';
import { linkAddresses } from './shown-text.ts';

// These Cyrillic letters look like Latin ones.
const cyrillic = '\u0430\u0440\u0440le.com';
const requested = new URL(`http://${cyrillic}/`).host;

it('scans an address once, however much punctuation it contains', () => {
  const started = process.threadCpuUsage();
  const address = `https://x.example/${'!'.repeat(200_000)}a`;

  expect(String(linkAddresses(address))).toContain(`>${address}</a>`);
  expect(process.threadCpuUsage(started).user).toBeLessThan(2_000_000);
});

it.each([
  [`http://${cyrillic}/`, `http://${requested}/`],
  [`http://${cyrillic}/${requested}`, `http://${requested}/${requested}`],
  [`http://${cyrillic}/?at=${requested}`, `http://${requested}/?at=${requested}`],
  ['http://0x7f.1/127.0.0.1', 'http://127.0.0.1/127.0.0.1'],
  ['http://example.com%2Eevil.example/', 'http://example.com.evil.example/'],
])('shows the host that is requested, whatever host the address pretends: %s', (written, shown) => {
  expect(String(linkAddresses(written))).toContain(`>${shown}</a>`);
});
