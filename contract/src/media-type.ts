/** A Content-Type. The media type and the names of the parameters are in lower case. */
export interface ContentType {
  readonly mediaType: string;
  /** Undefined if parsers could disagree on the parameters. */
  readonly parameters: readonly (readonly [name: string, value: string])[] | undefined;
}

// Each match starts at the end of the last one, and adjacent parts match different characters, so the time is linear.
const mediaTypeForm = /([^\s;]+)[ \t]*(?:;|$)/y;
const parameterForm = /[ \t]*([^\s";=*]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s";]+))[ \t]*(?:;|$)/y;
const blanks = /[ \t]*$/y;

/** Parses a Content-Type header in one pass. A semicolon with nothing after it is ignored (§1.8). */
export function parseContentType(header: string): ContentType {
  const mediaType = matchAt(mediaTypeForm, header, 0)?.[1]?.toLowerCase() ?? '';
  const parameters: [string, string][] = [];
  let at = mediaTypeForm.lastIndex;
  while (matchAt(blanks, header, at) === null) {
    const [, name = '', quoted, plain = ''] = matchAt(parameterForm, header, at) ?? [];
    if (name === '') return { mediaType, parameters: undefined };
    parameters.push([name.toLowerCase(), quoted ?? plain]);
    at = parameterForm.lastIndex;
  }
  return { mediaType, parameters };
}

/** Whether a Content-Type is exactly JSON in UTF-8 (§1.8). */
export function isJsonContentType(header: string): boolean {
  const { mediaType, parameters } = parseContentType(header);
  if (mediaType !== 'application/json' || parameters === undefined || parameters.length > 1) return false;
  return parameters.every(([name, value]) => name === 'charset' && value.toLowerCase() === 'utf-8');
}

function matchAt(form: RegExp, text: string, at: number): RegExpExecArray | null {
  form.lastIndex = at;
  return form.exec(text);
}
