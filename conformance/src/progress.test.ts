import { describe, expect, it } from 'vitest';
import { showProgress } from './progress.ts';

function screen(isTerminal: boolean) {
  let written = '';
  let now = 0;
  const progress = showProgress({ isTerminal, write: (text) => (written += text), now: () => now });
  return { progress, written: () => written, pass: (ms: number) => (now += ms) };
}

describe('progress', () => {
  it('is one line on a terminal, which makes room for what is said', () => {
    const { progress, written } = screen(true);
    progress.step(1, 2, 'posts.create');
    progress.say('waiting 3 s');
    progress.step(2, 2, 'posts.delete');
    progress.end();

    const clear = '\r\u001b[2K';
    expect(written()).toBe(`${clear}[1/2] posts.create${clear}waiting 3 s\n${clear}[2/2] posts.delete${clear}`);
  });

  it('is a plain line now and then elsewhere', () => {
    const { progress, written, pass } = screen(false);
    progress.step(1, 3, 'a');
    pass(6_000);
    progress.step(2, 3, 'b');
    progress.step(3, 3, 'c');
    progress.end();

    expect(written()).toBe('[2/3] b\n');
  });
});
