/** Schemas for a document: those with an `$id` become components that everything refers to. */

type Node = { readonly [key: string]: unknown };

export interface SchemaComponents {
  /** A copy of a schema, with references in place of the schemas that have an `$id`. */
  convert(schema: unknown): unknown;
  /** Components referred to so far, ordered by name. */
  all(): { readonly [name: string]: unknown };
}

export function schemaComponents(): SchemaComponents {
  const schemas: { [name: string]: unknown } = {};

  function convert(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(convert);
    if (typeof node !== 'object' || node === null) return node;
    const { $id: id, ...rest } = node as Node;
    if (typeof id !== 'string') return convertMembers(rest);
    if (!(id in schemas)) {
      schemas[id] = null;
      schemas[id] = convertMembers(rest);
    }
    return { $ref: `#/components/schemas/${id}` };
  }
  const convertMembers = (node: Node): Node => Object.fromEntries(Object.entries(node).map(([key, value]) => [key, convert(value)]));

  return { convert, all: () => Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))) };
}
