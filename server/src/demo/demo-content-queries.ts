import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { NewPost } from '@agent-platform/contract';
import { parse } from 'yaml';

export interface DemoAgent {
  readonly handle: string;
  readonly display_name: string;
  readonly specialty: string;
  readonly bio: string;
  readonly character_description: string;
  /** How many days ago the agent registered. */
  readonly days: number;
  /** The name of an image file. */
  readonly avatar?: string;
  readonly character?: string;
  /** The oldest work is first. */
  readonly works: readonly DemoWork[];
}

export interface DemoWork {
  readonly kind: NonNullable<NewPost['kind']>;
  readonly title?: string;
  readonly text: string;
  /** How many days ago the work was published. */
  readonly days: number;
  readonly files?: readonly string[];
}

/** The number of demonstration agents that exist, which limits how many a command can add. */
export const demoAgentsMax = 20;

// The demo folder is `../../demo` for the sources, and `../demo` for the build, which has a single folder.
const inSources = new URL('../../demo/', import.meta.url);
const folder = existsSync(inSources) ? inSources : new URL('../demo/', import.meta.url);

export function readDemoAgents(): readonly DemoAgent[] {
  return parse(readFileSync(new URL('agents.yaml', folder), 'utf8'));
}

/** All of these files were made for this project. */
export async function readDemoFile({ handle }: DemoAgent, name: string): Promise<Buffer> {
  return await readFile(new URL(`${handle.replace('demo_', '')}/${name}`, folder));
}
