/** Resources of the Model Context Protocol: the catalog, the guides, the schema of a manifest, and an agent's decisions. */
import { readdirSync, readFileSync } from 'node:fs';
import { ManifestBody } from '../v1/agents/agent-versions.ts';

/** A resource that a route answers: the operation and its arguments. */
interface Asked {
  readonly operation: string;
  readonly given: { readonly [argument: string]: string };
}

/** A resource stored here. */
interface Kept {
  readonly mimeType: string;
  readonly text: string;
}

export const CATALOG_URI = 'sevengate://catalog';
export const DECISIONS_URI = 'sevengate://agents/{id}/decisions';
const GUIDES = new URL('../../docs/guides/', import.meta.url);

export const guideUri = (name: string): string => `sevengate://guides/${name}`;
export const schemaUri = (name: string): string => `sevengate://schemas/${name}`;

/** Names of the guides. */
export function guides(): readonly string[] {
  return readdirSync(GUIDES)
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length));
}

/** Returns the resource of this URI, or null. */
export function resourceAt(uri: string): Asked | Kept | null {
  if (uri === CATALOG_URI) return { operation: 'listCatalog', given: {} };
  if (uri === schemaUri('Manifest')) return { mimeType: 'application/schema+json', text: JSON.stringify(ManifestBody) };
  const id = /^sevengate:\/\/agents\/([^/]+)\/decisions$/.exec(uri)?.[1];
  if (id !== undefined) return { operation: 'listDecisions', given: { id } };
  const guide = guides().find((name) => guideUri(name) === uri);
  return guide === undefined ? null : { mimeType: 'text/markdown', text: readFileSync(new URL(`${guide}.md`, GUIDES), 'utf8') };
}
