import { readFileSync } from 'node:fs';
import { effectMeanings } from '@agent-platform/cli-core/surface/effects';
import type { CommandSurface, Surface } from '@agent-platform/cli-core/surface/surface';
import { formatMarkdownTable, formatUsage } from './markdown.ts';

/** Renders `SKILL.md`, which explains `agentp` to a language model, from a template and the catalogue. */
export function renderSkill(surface: Surface): string {
  const parts: Readonly<Record<string, string>> = {
    'exit codes': formatMarkdownTable(
      ['exit code', 'meaning'],
      surface.exit_codes.map(({ code, meaning }) => [String(code), meaning]),
    ),
    consent: formatMarkdownTable(['command', 'effect', 'option'], surface.commands.flatMap(describeConsent)),
  };
  const template = readFileSync(new URL('skill-template.md', import.meta.url), 'utf8');
  return template.replaceAll(/<!-- print: (.*) -->/g, (_, name: string) => {
    const part = parts[name];
    if (part === undefined) throw new Error(`The template of SKILL.md names "${name}", which does not exist.`);
    return part;
  });
}

export function formatCommandList({ commands }: Surface): string {
  const lines = commands.map((command) => `- \`${formatUsage(command)}\` (${command.effect}): ${command.summary}`);
  const effects = Object.entries(effectMeanings).map(([effect, meaning]) => `\`${effect}\` ${meaning}`);
  return `In parentheses the effect: ${effects.join('; ')}.\n\n${lines.join('\n')}`;
}

const consentOptions = ['yes', 'confirm-total'];

function describeConsent({ command, effect, in: input }: CommandSurface): readonly (readonly string[])[] {
  const options = consentOptions.flatMap((name) => input.properties[name]?.['x-usage'] ?? []);
  if (options.length === 0) return [];
  return [[`\`agentp ${command}\``, effect, options.map((option) => `\`${option}\``).join(', ')]];
}
