import { describe, expect, it } from 'vitest';
import { showProgress } from './progress.ts';

function screen(columns?: number) {
  let written = '';
  let now = 0;
  const progress = showProgress({ columns, write: (text) => (written += text), now: () => now });
  return { progress, written: () => written, pass: (ms: number) => (now += ms) };
}

describe('progress', () => {
  it('is a single line on a terminal, which messages replace', () => {
    const { progress, written } = screen(40);
    progress.step(1, 2, 'posts.create');
    progress.wait(2_100);
    progress.log('a note');
    progress.step(2, 2, 'posts.delete');
    progress.end();

    const clear = '\r\u001b[2K';
    const waiting = '[1/2] waiting 3 s to keep the pace (--no';
    expect(written()).toBe(
      `${clear}[1/2] posts.create${clear}${waiting}${clear}a note\n${clear}[2/2] posts.delete${clear}`,
    );
  });

  it('is an occasional plain line elsewhere, also for long waits', () => {
    const { progress, written, pass } = screen();
    progress.step(1, 3, 'a');
    progress.wait(9_000);
    progress.wait(61_000);
    pass(6_000);
    progress.step(2, 3, 'b');
    progress.step(3, 3, 'c');
    progress.end();

    expect(written()).toBe('waiting 61 s to keep the pace (--no-pace disables this)\n[2/3] b\n');
  });
});
