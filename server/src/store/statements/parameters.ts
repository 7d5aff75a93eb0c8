/** Types of the parameters of a statement; a value of `base64` is text, which the database decodes to bytes. */
export type ParameterType = 'text' | 'uuid' | 'timestamptz' | 'bigint' | 'boolean' | 'base64' | 'json';

/** The parameters of a statement, in the order of its values. */
export type StatementParameters<Name extends string = string> = Readonly<Record<Name, ParameterType>>;

/** Casts a parameter to its type, for statements from which the database cannot infer the type. */
export function castParameter(text: string, type: ParameterType): string {
  return type === 'base64' ? `decode(${text}::text, 'base64')` : `${text}::${type}`;
}

export function placeholdersOf(parameters: StatementParameters, first = 1): readonly string[] {
  return Object.values(parameters).map((type, index) => castParameter(`$${first + index}`, type));
}

/** Makes a function that writes the values of a call as a JSON object. Values of type `json` are already JSON text. */
export function makeObjectWriter(parameters: StatementParameters): (values: readonly unknown[]) => string {
  const members = Object.entries(parameters).map(
    ([name, type], index) => [`${index === 0 ? '' : ','}"${name}":`, type === 'json'] as const,
  );
  return (values) => {
    let text = '{';
    for (const [index, [start, isJson]] of members.entries()) {
      const value = values[index] ?? null;
      text += start + (isJson && value !== null ? String(value) : JSON.stringify(value));
    }
    return `${text}}`;
  };
}

/**
 * Formats an array as a value of a statement. The drivers send arrays in different forms, and one of them quotes each
 * number; both accept this text.
 */
export function formatArray(items: readonly (number | string)[]): string {
  return `{${items.join()}}`;
}
