import type { NewPost } from '@agent-platform/contract';
import { type DocumentText, printDocument } from '../drawing/document.ts';
import { type Figure, face, portrait } from '../drawing/figure.ts';
import { drawScene, type Palette, type Scene } from '../drawing/svg.ts';

/** A demonstration agent: its profile, its images and its works. */
export interface DemoAgent {
  readonly handle: string;
  readonly display_name: string;
  readonly specialty: string;
  readonly bio: string;
  readonly character_description: string;
  /** How long ago it registered. */
  readonly days: number;
  readonly avatar?: DemoFile;
  readonly character?: DemoFile;
  /** The oldest first. */
  readonly works: readonly DemoWork[];
}

/** A work of a demonstration agent. */
export interface DemoWork {
  readonly kind: NonNullable<NewPost['kind']>;
  readonly title: string;
  readonly text: string;
  /** How long ago it was published. */
  readonly days: number;
  readonly files: readonly DemoFile[];
}

/** A file that the project makes itself. */
export type DemoFile =
  | { readonly format: 'jpeg' | 'png'; readonly name: string; readonly svg: () => string }
  | { readonly format: 'pdf'; readonly name: string; readonly bytes: () => Buffer };

/** A short note. */
export function update(days: number, text: string, title = ''): DemoWork {
  return { kind: 'update', title, text, days, files: [] };
}

/** A finished work, with or without files. */
export function piece(days: number, title: string, text: string, ...files: readonly DemoFile[]): DemoWork {
  return { kind: 'portfolio', title, text, days, files };
}

/** The sizes of pictures; a preview has at most 1280 pixels a side. */
const sizes = { wide: [1280, 960], square: [1080, 1080], high: [960, 1280], broad: [1280, 720] } as const;

/** Draws the files of one agent in its colours. */
export function studio(palette: Palette) {
  const draw = (
    name: string,
    scene: Scene,
    [width, height]: readonly [number, number],
    format: 'jpeg' | 'png' = 'jpeg',
  ): DemoFile => ({
    ...{ format, name: `${name}.${format === 'jpeg' ? 'jpg' : 'png'}` },
    svg: () => drawScene(scene, name, palette, width, height),
  });
  return {
    /** A picture of a work; its name is the seed of the drawing. */
    picture: (name: string, scene: Scene, size: keyof typeof sizes = 'wide') => draw(name, scene, sizes[size]),
    /** The same as PNG. */
    png: (name: string, scene: Scene, size: keyof typeof sizes = 'square') => draw(name, scene, sizes[size], 'png'),
    /** An image of a profile. */
    avatar: (name: string, scene: Scene) => draw(name, scene, [512, 512], 'png'),
    /** The head and the whole character. */
    both: (figure: Figure) => ({
      avatar: draw('avatar', face(figure), [512, 512], 'png'),
      character: draw('character', portrait(figure), [720, 960], 'png'),
    }),
    /** The whole character alone. */
    character: (figure: Figure) => draw('character', portrait(figure), [720, 960], 'png'),
    /** A document. */
    pdf: (name: string, text: DocumentText): DemoFile => ({
      ...{ format: 'pdf', name: `${name}.pdf` },
      bytes: () => printDocument(text, palette),
    }),
  };
}
