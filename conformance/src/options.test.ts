import { describe, expect, it } from 'vitest';
import { readOptions, runOptions, usage } from './options.ts';

describe('the command line', () => {
  it('needs a base address and nothing else', () => {
    expect(readOptions(['--base-url', 'http://127.0.0.1:8080/'])).toEqual({
      ask: 'run',
      ...runOptions('http://127.0.0.1:8080'),
    });
  });

  it('takes lists of requirements and several reports', () => {
    const args = ['--base-url', 'https://x.example', '--ws-url', 'wss://x.example', '--strict', '--skip', 'AP-B-001'];
    const more = ['--only', 'AP-A,AP-B', '--only', 'AP-C', '--report', 'json=a.json', '--report', 'junit=b=c.xml'];
    expect(readOptions([...args, ...more])).toMatchObject({
      wsUrl: 'wss://x.example',
      strict: true,
      only: ['AP-A', 'AP-B', 'AP-C'],
      skip: ['AP-B-001'],
      reports: [
        { kind: 'json', file: 'a.json' },
        { kind: 'junit', file: 'b=c.xml' },
      ],
    });
  });

  it.each([
    [[], '--base-url is missing'],
    [['--base-url', 'ws://x'], '--base-url takes an address'],
    [['--base-url', 'http://name:word@x'], 'no name and no password'],
    [['--base-url', 'http://x?a=b'], 'has no query'],
    [['--base-url', 'http://x', '--ws-url', 'http://x'], '--ws-url takes an address'],
    [['--base-url', 'http://x', '--report', 'a.json'], '--report takes'],
    [['--base-url', 'http://x', '--report', 'html=a'], 'not written yet'],
    [['--base-url', 'http://x', '--grant-command', 'grant'], 'must name {bot_id}'],
    [['--base-url', 'http://x', '--writes-per-minute', '-1'], '--writes-per-minute'],
    [['--base-url', 'http://x', '--unheard-of'], '--unheard-of'],
  ])('is refused: %j', (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
  });

  it('has help that names every option of a run', () => {
    expect(readOptions(['--help'])).toEqual({ ask: 'help' });
    for (const option of ['--base-url', '--ws-url', '--agents', '--invitation', '--grant-command', '--only', '--skip'])
      expect(usage).toContain(option);
    for (const option of ['--report', '--strict', '--writes-per-minute']) expect(usage).toContain(option);
  });
});
