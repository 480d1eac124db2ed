/** The schema of a manifest's payload form and manifests to begin with, which the bundle of the terminal takes from the domain. */
export const schema: { readonly [name: string]: unknown };
export const templates: readonly { readonly [name: string]: unknown }[];
