/** The instruments of the catalog by their key, read once for as long as the page is open. */
import { pagesOf } from './http.js';
import { may } from './permissions.js';

/** @typedef {import('./api.ts').CatalogEntry} CatalogEntry */

const PER_PAGE = 200;
/** @type {Promise<ReadonlyMap<string, CatalogEntry>> | null} */
let reading = null;

/**
 * Every instrument, none for who may not read the market; prices in it are those of the moment of reading.
 * @returns {Promise<ReadonlyMap<string, CatalogEntry>>}
 */
export async function readCatalog() {
  if (!may('market:read')) return new Map();
  reading ??= readAll().catch((error) => {
    reading = null;
    throw error;
  });
  return reading;
}

async function readAll() {
  /** @type {Map<string, CatalogEntry>} */
  const entries = new Map();
  /** @type {AsyncGenerator<import('./wire.ts').Page<CatalogEntry>>} */
  const pages = pagesOf(`/v1/catalog?limit=${PER_PAGE}`);
  for await (const { items } of pages) for (const entry of items) entries.set(entry.key, entry);
  return entries;
}
