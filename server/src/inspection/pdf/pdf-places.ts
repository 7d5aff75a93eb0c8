/** A kind of place in which a PDF value occurs. Forbidden names have an effect in every place except `named`. */
export type PdfPlace =
  | 'unknown'
  | 'trailer'
  | 'catalog'
  | 'resources'
  | 'appearances'
  /** A dictionary whose keys and name values the author chooses freely. */
  | 'named'
  /** The structure tree, in which the author chooses the types of elements freely. */
  | 'structure'
  /** An array that starts with an element of the structure tree. */
  | 'target';

function leads(to: PdfPlace, keys: string): [string, PdfPlace][] {
  return keys.split(' ').map((key) => [key, to]);
}

// Members whose content contains names that the author of a file chooses.
const anywhere = [
  ...leads('resources', 'Resources DR'),
  ...leads('appearances', 'AP'),
  ...leads('named', 'CharProcs Colorants Solidities DotGain PieceInfo'),
  ...leads('structure', 'SE'),
  ...leads('target', 'SD'),
];

/** Maps the place of a dictionary and a key to the place of the value, if that is not `unknown`. */
const members: Readonly<Record<PdfPlace, ReadonlyMap<string, PdfPlace>>> = {
  unknown: new Map(anywhere),
  trailer: new Map([...leads('catalog', 'Root'), ...leads('named', 'Info')]),
  catalog: new Map([...anywhere, ...leads('named', 'Dests'), ...leads('structure', 'StructTreeRoot')]),
  resources: new Map(leads('named', 'Font XObject ExtGState ColorSpace Pattern Shading Properties')),
  appearances: new Map(leads('named', 'N R D')),
  named: new Map(),
  structure: new Map([
    ...leads('structure', 'K P Ref ParentTree IDTree Kids Nums Names NS Namespaces'),
    ...leads('named', 'RoleMap RoleMapNS ClassMap'),
  ]),
  target: new Map(anywhere),
};

export function findMemberPlace(place: PdfPlace, key: string): PdfPlace {
  return members[place].get(key) ?? 'unknown';
}

export function findItemPlace(place: PdfPlace): PdfPlace {
  return place === 'structure' || place === 'target' ? 'structure' : 'unknown';
}
