/** Schemas of a document. Those with an `$id` become shared components. */

type Node = { readonly [key: string]: unknown };

export function schemaComponents() {
  const schemas: { [name: string]: unknown } = {};

  /** Returns a copy of a schema with references instead of the schemas that have an `$id`. */
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

  return {
    convert,
    /** Returns the components referred to so far, by name. */
    all: (): { readonly [name: string]: unknown } => Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
