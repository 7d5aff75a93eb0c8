const jsonType = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?[ \t]*$/i;

/** Tells whether a Content-Type is JSON, and not merely similar (D-43). */
export function isJsonType(contentType: string): boolean {
  return jsonType.test(contentType);
}
