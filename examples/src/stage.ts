import { styleText } from 'node:util';
import { type AgentPlatform, formatCredits } from '@agent-platform/sdk';

/** Where a story is told: coloured on a terminal, plain anywhere else. */
export interface Stage {
  /** Begins a scene. */
  scene(title: string): void;
  /** Says something that happens in it. */
  say(line: string): void;
  /** Shows the wallets of both, as the server has them now. */
  showWallets(): Promise<void>;
}

/** What a stage is built on. */
export interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** The agents whose wallets are shown. */
export type Cast = readonly { readonly name: string; readonly platform: AgentPlatform }[];

const barWidth = 28;
const fullMinor = 10_000;

/** Opens a stage. `NO_COLOR` is respected. */
export function openStage(screen: Screen, cast: Cast): Stage {
  const isPlain = screen.isTTY !== true || (process.env['NO_COLOR'] ?? '') !== '';
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    isPlain ? text : styleText(style, text, { validateStream: false });
  let scenes = 0;
  return {
    scene: (title) => {
      scenes += 1;
      screen.write(`\n${paint(['bold', 'cyan'], `${scenes}. ${title}`)}\n`);
    },
    say: (line) => {
      screen.write(`   ${line}\n`);
    },
    showWallets: async () => {
      for (const { name, platform } of cast) {
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
