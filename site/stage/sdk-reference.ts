import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Application, LogLevel } from 'typedoc';
import { splitClientPage } from './split-client-page.ts';
import type { SdkPage } from './staged.ts';

/** Makes a Markdown page for each resource and entry point. */
export async function formatSdkReference(root: string): Promise<readonly SdkPage[]> {
  const out = mkdtempSync(join(tmpdir(), 'agent-platform-sdk-reference-'));
  try {
    const application = await Application.bootstrapWithPlugins({
      entryPoints: ['resources/*.ts', 'index.ts', 'entry-points/{testing,box}.ts'].map((path) =>
        join(root, 'sdk/src', path),
      ),
      tsconfig: join(root, 'tsconfig.json'),
      plugin: ['typedoc-plugin-markdown'],
      logLevel: LogLevel.Error,
      ...({ ...printing, out } as object),
    });
    const project = await application.convert();
    if (project === undefined) throw new Error('The sources of the SDK have errors: run "npm run check".');
    await application.generateOutputs(project);
    const pages = globSync('{index,resources/*,entry-points/*}.md', { cwd: out })
      .toSorted()
      .map((file) => toPage(file, readFileSync(join(out, file), 'utf8')));
    return splitClientPage(pages);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

const printing = {
  router: 'module',
  exclude: ['**/*.test.ts'],
  skipErrorChecking: true,
  excludePrivate: true,
  excludeInternal: true,
  excludeExternals: true,
  disableSources: true,
  readme: 'none',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  hideGroupHeadings: true,
  parametersFormat: 'table',
  typeDeclarationFormat: 'table',
  interfacePropertiesFormat: 'table',
  propertyMembersFormat: 'table',
  sort: ['source-order'],
};

const titles: Record<string, string> = {
  client: 'Client and classes',
  box: 'Keys and envelopes',
  testing: 'Tests of agents',
};

function nameOf(file: string): string {
  return file === 'index' ? 'client' : file;
}

function toPage(file: string, text: string): SdkPage {
  const name = nameOf(basename(file, '.md'));
  const [, ...lines] = text.split('\n');
  const all = lines.join('\n');
  // Omits constructors (programs get these objects from the client), and puts a method's errors under one heading.
  const shown = file.startsWith('resources/') ? all.replace(/^### Constructors\n.*?(?=^### )/ms, '') : all;
  const joined = shown.replaceAll(/(?<=^#+ Throws\n(?:(?!#).*\n|#+ Throws\n)*)#+ Throws\n\n/gm, '');
  const body = joined.replaceAll(
    /\]\((?:\.\.?\/)*(?:resources\/|entry-points\/)?([\w-]+)\.md/g,
    (_, target: string) => `](./${nameOf(target)}.md`,
  );
  return { name, title: titles[name] ?? `platform.${name}`, body };
}
