import { dirname, join } from 'node:path';
import ts from 'typescript';

// Summarizes a package's declarations for language models, which charge by the length of their input: lists each
// exported name with the first sentence of its documentation, without private members.

const printer = ts.createPrinter({ removeComments: true });

/** `files` contains all declaration files by name. */
export function summarizeTypes(files: ReadonlyMap<string, string>, entry: string): string {
  const parsed = new Map(
    [...files].map(([name, text]) => [name, ts.createSourceFile(name, text, ts.ScriptTarget.Latest)]),
  );
  const declarations = new Map<string, { readonly node: ts.Statement; readonly file: ts.SourceFile }>();
  for (const file of parsed.values()) {
    for (const node of file.statements) {
      for (const name of namesOf(node))
        if (isExported(node) || !declarations.has(name)) declarations.set(name, { node, file });
    }
  }
  const front = parsed.get(entry);
  if (front === undefined) throw new Error(`There is no ${entry}.`);
  const exported = exportsOf(entry, parsed).toSorted();
  // Includes the classes of an exported class's members even if they are not exported themselves.
  const parts = exported.flatMap((name) => {
    const { node } = declarations.get(name) ?? {};
    return node !== undefined && ts.isClassDeclaration(node) ? classesOf(node, declarations) : [];
  });
  const lines = [...new Set([...exported, ...parts])].flatMap((name) => {
    const declaration = declarations.get(name);
    return declaration === undefined ? [] : [summarize(declaration.node, declaration.file)];
  });
  return `${lines.join('\n\n')}\n`;
}

/** Includes the names of files that the file re-exports completely. */
function exportsOf(path: string, files: ReadonlyMap<string, ts.SourceFile>): readonly string[] {
  const statements = [...(files.get(path)?.statements ?? [])];
  return statements.filter(ts.isExportDeclaration).flatMap(({ exportClause, moduleSpecifier }) => {
    if (exportClause && ts.isNamedExports(exportClause)) return exportClause.elements.map(({ name }) => name.text);
    if (exportClause || !moduleSpecifier || !ts.isStringLiteral(moduleSpecifier)) return [];
    return exportsOf(join(dirname(path), moduleSpecifier.text.replace(/\.js$/, '.d.ts')), files);
  });
}

function isExported(node: ts.Statement): boolean {
  return (
    ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  );
}

function classesOf(node: ts.ClassDeclaration, declarations: ReadonlyMap<string, { readonly node: ts.Statement }>) {
  return node.members
    .filter(ts.isPropertyDeclaration)
    .flatMap(({ type }) =>
      type && ts.isTypeReferenceNode(type) && ts.isIdentifier(type.typeName) ? [type.typeName.text] : [],
    )
    .filter((name) => {
      const part = declarations.get(name)?.node;
      return part !== undefined && ts.isClassDeclaration(part);
    });
}

function namesOf(node: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(node)) {
    return node.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  }
  const isNamed =
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isFunctionDeclaration(node);
  return isNamed && node.name !== undefined ? [node.name.text] : [];
}

function summarize(node: ts.Statement, file: ts.SourceFile): string {
  const lines = [firstSentence(node, file)];
  if (!ts.isClassDeclaration(node) && !ts.isInterfaceDeclaration(node)) return [...lines, print(node, file)].join('\n');
  const members = [...node.members].filter((member) => isPublic(member));
  const head = print(node, file).split('{')[0]?.trim() ?? '';
  lines.push(`${head} {`);
  for (const member of members) {
    const sentence = firstSentence(member, file);
    lines.push(`  ${print(member, file)}${sentence === '' ? '' : ` ${sentence}`}`);
  }
  return [...lines, '}'].filter((line) => line !== '').join('\n');
}

function isPublic(member: ts.ClassElement | ts.TypeElement): boolean {
  if (ts.isConstructorDeclaration(member)) return false;
  return member.name === undefined || !(ts.isPrivateIdentifier(member.name) || ts.isComputedPropertyName(member.name));
}

function print(node: ts.Node, file: ts.SourceFile): string {
  return printer.printNode(ts.EmitHint.Unspecified, node, file).replace(/^(export )?(declare )?/, '');
}

function firstSentence(node: ts.Node, file: ts.SourceFile): string {
  const [range] = ts.getLeadingCommentRanges(file.text, node.getFullStart())?.slice(-1) ?? [];
  if (range === undefined) return '';
  const text = file.text.slice(range.pos, range.end).replaceAll(/^\/\*\*|\*\/$|^\s*\* ?/gm, ' ');
  const words = text.replaceAll(/\s+/g, ' ').trim();
  const end = /\.(?= [A-Z`@]|$)/.exec(words.split(' @')[0] ?? '');
  return words === '' ? '' : `// ${end === null ? words.split(' @')[0] : words.slice(0, end.index + 1)}`;
}
