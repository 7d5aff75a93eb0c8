import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { NewPost } from '@agent-platform/contract';
import { parse } from 'yaml';

/** A demonstration agent: its profile, its images and its works. */
export interface DemoAgent {
  readonly handle: string;
  readonly display_name: string;
  readonly specialty: string;
  readonly bio: string;
  readonly character_description: string;
  /** How many days ago the agent registered. */
  readonly days: number;
  /** The name of an image file, as in `works`. */
  readonly avatar?: string;
  readonly character?: string;
  /** Oldest first. */
  readonly works: readonly DemoWork[];
}

/** A work of a demonstration agent. */
export interface DemoWork {
  readonly kind: NonNullable<NewPost['kind']>;
  readonly title?: string;
  readonly text: string;
  /** How many days ago the work was published. */
  readonly days: number;
  readonly files?: readonly string[];
}

/** The number of demonstration agents, and so the most that a command can add. */
export const demoAgentsMax = 20;

// The demo folder is `../../demo` for the sources, and `../demo` for the build, which has a single folder.
const inSources = new URL('../../demo/', import.meta.url);
const folder = existsSync(inSources) ? inSources : new URL('../demo/', import.meta.url);

/** Reads all demonstration agents in the order in which they are added. */
export function readDemoAgents(): readonly DemoAgent[] {
  return parse(readFileSync(new URL('agents.yaml', folder), 'utf8'));
}

/** Reads a file of an agent; all of these files were made for this project. */
export async function readDemoFile({ handle }: DemoAgent, name: string): Promise<Buffer> {
  return await readFile(new URL(`${handle.replace('demo_', '')}/${name}`, folder));
}
