import { describe, expect, it } from 'vitest';
import { defaultLimits, unpacedLimits } from './context/budget/limits.ts';
import { runOptions } from './context/options.ts';
import { optionTypes, parseCommandLine } from './read-options.ts';
import { suiteHelpText } from './usage.ts';

describe('the command line', () => {
  it('needs a base address and nothing else', () => {
    expect(parseCommandLine(['--base-url', 'http://127.0.0.1:8080/'])).toEqual({
      ask: 'run',
      ...runOptions('http://127.0.0.1:8080'),
    });
  });

  it('accepts lists of requirements and several reports', () => {
    const args = ['--base-url', 'https://x.example', '--ws-url', 'wss://x.example', '--strict', '--skip', 'AP-B-001'];
    const more = [
      '--only',
      'AP-A,AP-B',
      '--only',
      'AP-C',
      '--walk-steps',
      '9',
      '--report',
      'json=a.json',
      '--report',
      'junit=b=c.xml',
    ];
    expect(parseCommandLine([...args, ...more])).toMatchObject({
      wsUrl: 'wss://x.example',
      strict: true,
      walkSteps: 9,
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
    [['--base-url', 'ws://x'], '--base-url takes a URL'],
    [['--base-url', 'http://name:word@x'], 'without user name and password'],
    [['--base-url', 'http://x?a=b'], 'has no query'],
    [['--base-url', 'http://x', '--ws-url', 'http://x'], '--ws-url takes a URL'],
    [['--base-url', 'http://x', '--report', 'a.json'], '--report takes'],
    [['--base-url', 'http://x', '--report', 'word=a'], '--report takes'],
    [['--base-url', 'http://x', '--report', 'html='], '--report takes'],
    [['--base-url', 'http://x', '--grant-command', 'grant'], 'must contain {bot_id}'],
    [['--base-url', 'http://x', '--grant-command', ' '], 'names no program'],
    [['--base-url', 'http://x', '--grant-command', 'grant "{bot_id} {amount_minor}'], 'an unclosed quote'],
    [['--base-url', 'http://x', '--grant-command', 'grant {bot_id} {amount_minor} {token}'], 'no placeholder {token}'],
    [['--base-url', 'http://x', '--clock-command', 'clock'], 'must contain {seconds}'],
    [['--base-url', 'http://x', '--invitation', 'a', '--invitation-command', 'b'], 'cannot be combined'],
    [['--base-url', 'http://x', '--profile', 'all'], '--profile takes limits'],
    [['--base-url', 'http://x', '--writes-per-minute', '-1'], '--writes-per-minute'],
    [['--base-url', 'http://x', '--walk-steps', '0'], '--walk-steps takes an integer from 1'],
    [['--base-url', 'http://x', '--walk-steps', '10001'], '--walk-steps takes an integer from 1'],
    [['--base-url', 'http://x', '--unheard-of'], '--unheard-of'],
  ])('is refused: %j', (args, message) => {
    expect(() => parseCommandLine(args)).toThrow(message);
  });

  it('accepts a pace for each limit, or disables pacing', () => {
    const limitsOf = (...args: readonly string[]) => parseCommandLine(['--base-url', 'http://x', ...args]);
    expect(limitsOf()).toMatchObject({ limits: defaultLimits });
    expect(limitsOf('--no-pace')).toMatchObject({ limits: unpacedLimits });
    expect(limitsOf('--no-pace', '--messages-per-minute', '5', '--max-minutes', '7')).toMatchObject({
      limits: { ...unpacedLimits, messagesPerMinute: 5, minutes: 7 },
    });
  });

  it('has help for every option', () => {
    expect(parseCommandLine(['--help'])).toEqual({ ask: 'help' });
    const taken = Object.keys(optionTypes).map((option) => `--${option}`);
    expect(taken.length).toBeGreaterThan(15);
    expect(taken.filter((option) => !suiteHelpText.includes(option))).toEqual([]);
  });
});
