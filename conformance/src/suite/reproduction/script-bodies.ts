import type { FormPart } from '../../context/http/multipart.ts';
import { quoteForShell } from '../../verdict/curl.ts';
import type { ScriptFile } from '../../verdict/report.ts';
import type { ScriptVariables } from './variables.ts';

const inlineMaxLength = 2_000;

const endings: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'application/pdf': 'pdf',
};

/** Formats request bodies for a script; saves long and binary ones as files next to it. */
export class ScriptBodies {
  readonly #stem: string;
  readonly #variables: ScriptVariables;
  readonly #clean: (text: string) => string;
  readonly #files: ScriptFile[] = [];

  constructor(stem: string, variables: ScriptVariables, clean: (text: string) => string) {
    this.#stem = stem;
    this.#variables = variables;
    this.#clean = clean;
  }

  get files(): readonly ScriptFile[] {
    return this.#files;
  }

  body(body: string): readonly string[] {
    if (body.length <= inlineMaxLength && !body.includes('\0')) return [`--data-raw ${this.#variables.quoted(body)}`];
    const marked = this.#variables.marked(body);
    const known = new Set(this.#variables.all.values());
    const names = [
      ...new Set([...marked.matchAll(/@([A-Z]\w*)@/g)].flatMap(([, name = '']) => (known.has(name) ? name : []))),
    ];
    const place = this.#save(Buffer.from(this.#clean(marked)), 'body');
    if (names.length === 0) return [`--data-binary @${place}`];
    const replacements = names.map((name) => `-e "s|@${name}@|$${name}|g"`).join(' ');
    return [`--data-binary @<(sed ${replacements} ${place})`];
  }

  readonly part = ({ name, content, filename, type = 'application/octet-stream' }: FormPart): string => {
    const bytes = Buffer.from(content);
    if (filename === undefined) return `--form-string ${this.#variables.quoted(`${name}=${bytes.toString('utf8')}`)}`;
    const place = this.#save(bytes, endings[type] ?? 'bin');
    const shown = filename.replaceAll(/["\\]/g, String.raw`\$&`);
    return `-F ${quoteForShell(`${name}=@`)}${place}${quoteForShell(`;type=${type};filename="${shown}"`)}`;
  };

  #save(content: Uint8Array, ending: string): string {
    const known = this.#files.find((file) => Buffer.compare(file.content, content) === 0);
    const name = known?.name ?? `${this.#stem}.${this.#files.length + 1}.${ending}`;
    if (known === undefined) this.#files.push({ name, content });
    return `"$(dirname "$0")/${name}"`;
  }
}
