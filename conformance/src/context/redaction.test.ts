import { describe, expect, it } from 'vitest';
import { openLiveWorld } from '../world/live-world.ts';
import { openRedaction } from './redaction.ts';

const world = openLiveWorld();

const token = 'apt_Qm9y-aW5n_c3RyaW5nczAxMjM0NTY3ODlhYmNkZWY';

describe('the redaction', () => {
  it('removes a secret from any text, in any encoding and letter case', () => {
    const redaction = openRedaction(world);
    redaction.hide(token);
    redaction.hide('pass/word+of me');
    const writings = [
      token,
      token.toUpperCase(),
      `Bearer ${token}`,
      Buffer.from(token).toString('hex'),
      encodeURIComponent('pass/word+of me'),
      JSON.stringify({ a: 'pass/word+of me' }),
    ];
    for (const text of writings) expect(redaction.apply(text)).toContain('[secret]');
    for (const before of ['', 'x', 'xy', 'Bearer ']) {
      const shown = redaction.apply(Buffer.from(`${before}${token} and more`).toString('base64'));
      const left = Buffer.from(shown.replaceAll('[secret]', '!'), 'base64').toString('latin1');
      expect(left, before).not.toMatch(/aW5n_c3Ry/);
      expect(shown, before).toContain('[secret]');
    }
  });

  it('removes a whole secret that begins with another secret', () => {
    const redaction = openRedaction(world);
    redaction.hideAuthorization(`Bearer ${token.slice(0, -4)}`);
    redaction.hide(token);

    expect(redaction.apply(`<${token}>`)).toBe('<[secret]>');
    expect(redaction.apply(`<${token.slice(0, -4)}>`)).toBe('<[secret]>');
  });

  it('recognises a token under any scheme', () => {
    const redaction = openRedaction(world);
    redaction.hideAuthorization(`Basic ${Buffer.from(`${token}:`).toString('base64')}`);

    expect(redaction.apply(token)).toBe('[secret]');
  });

  it('keeps texts that are not secret', () => {
    const redaction = openRedaction(world);
    redaction.hide('short');
    redaction.hideAuthorization(undefined);

    expect(redaction.apply('a short text with $& and \\')).toBe('a short text with $& and \\');
  });
});
