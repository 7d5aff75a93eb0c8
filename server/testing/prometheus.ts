interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export type Scrape = Awaited<ReturnType<typeof scrape>>;

export async function scrape(url: string | undefined) {
  const response = await fetch(url ?? '', { signal: AbortSignal.timeout(120_000) });
  const text = await response.text();
  const samples = text.split('\n').flatMap(parseLine);
  const find = (name: string, labels: Readonly<Record<string, string>> = {}) =>
    samples.filter(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
  return {
    text,
    samples,
    /** Returns the sum of the samples with this name and these labels, or undefined if there are none. */
    sum: (name: string, labels?: Readonly<Record<string, string>>) => {
      const found = find(name, labels);
      return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
    },
  };
}

function parseLine(line: string): readonly Sample[] {
  if (line === '' || line.startsWith('#')) return [];
  const [, name = '', labels = '', value = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === '') throw new Error(`This is not a sample: ${line}`);
  const pairs = [...labels.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)",?/g)].map(([, label = '', text = '']) => [
    label,
    text,
  ]);
  return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
}

/** A metric in an expression with the labels that select or group it. */
interface Used {
  readonly metric: string;
  readonly labels: readonly string[];
}

const words = new Set(['by', 'without', 'and', 'or', 'unless', 'on', 'ignoring', 'bool', 'offset', 'time']);

/** Returns each metric in a PromQL expression with all labels of the expression. */
export function findUsedMetrics(expression: string): readonly Used[] {
  const labels = [
    ...[...expression.matchAll(/\{([^}]*)\}/g)].flatMap(([, matchers = '']) =>
      [...matchers.matchAll(/([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
    ),
    ...[...expression.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(([, list = '']) =>
      list.split(/[\s,]+/),
    ),
  ];
  const names = expression
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, '')
    .matchAll(/[a-zA-Z_][\w:]*(?!\w|\s*\()/g);
  const metrics = [...names].map(([name]) => name).filter((name) => !words.has(name));
  return metrics.map((metric) => ({ metric, labels: labels.filter((label) => label !== '') }));
}
