/** JSON Schema of a manifest's payload form, and example manifests. The terminal's bundle takes them from the domain. */
export const schema: { readonly [name: string]: unknown };
export const templates: readonly { readonly [name: string]: unknown }[];
