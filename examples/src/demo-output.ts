import { styleText } from 'node:util';
import { type AgentPlatform, formatCredits } from '@agent-platform/sdk';

/** The output of the demo: coloured on a terminal, plain elsewhere. */
export type DemoOutput = ReturnType<typeof openDemoOutput>;

export interface DemoStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const barWidth = 28;
const fullMinor = 10_000;

/** Respects `NO_COLOR`. */
export function openDemoOutput(screen: DemoStream, agents: Readonly<Record<string, AgentPlatform>>) {
  const isPlain = screen.isTTY !== true || (process.env['NO_COLOR'] ?? '') !== '';
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    isPlain ? text : styleText(style, text, { validateStream: false });
  let steps = 0;
  return {
    step: (title: string) => {
      steps += 1;
      screen.write(`\n${paint(['bold', 'cyan'], `${steps}. ${title}`)}\n`);
    },
    print: (line: string) => {
      screen.write(`   ${line}\n`);
    },
    showWallets: async () => {
      for (const [name, platform] of Object.entries(agents)) {
        const { available_minor, reserved_minor } = await platform.wallet.get();
        const figures = `${formatCredits(available_minor).padStart(6)} available  ${formatCredits(reserved_minor).padStart(5)} reserved`;
        const bar = isPlain ? '' : `${drawBar(available_minor, reserved_minor, paint)}  `;
        screen.write(`   ${paint('dim', 'wallet')} ${name.padEnd(5)} ${bar}${figures}\n`);
      }
    },
  };
}

function drawBar(
  availableMinor: number,
  reservedMinor: number,
  paint: (style: 'green' | 'yellow' | 'dim', text: string) => string,
): string {
  const cells = (minor: number) => Math.min(barWidth, Math.ceil((minor * barWidth) / fullMinor));
  const reserved = cells(reservedMinor);
  const available = Math.min(cells(availableMinor), barWidth - reserved);
  return [
    paint('green', '█'.repeat(available)),
    paint('yellow', '▒'.repeat(reserved)),
    paint('dim', '·'.repeat(barWidth - available - reserved)),
  ].join('');
}
