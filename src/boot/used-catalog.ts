/** Catalog file of this service: strict JSON, with request budgets of the outside systems. */
import { InputError } from '../../api/problem.ts';
import { parseStrictJson } from '../../api/http/strict-json.ts';
import {
  catalogFilePath,
  type ParseDocument,
  problemText,
  type ReadCatalogFile,
  readCatalogFile as readBy,
} from '../adapters/catalog-file.ts';
import { CATALOG } from '../domain/catalog/catalog.ts';
import type { Config } from './config.ts';
import { BUDGET_NAMES } from './outside/index.ts';

const parse: ParseDocument = (text, places) => {
  try {
    return { value: parseStrictJson(text, places) };
  } catch (error) {
    if (error instanceof InputError) return { problems: error.problems };
    throw error;
  }
};

/** Reads a catalog file. @throws Error if the file cannot be read */
export const readCatalogFile = (file: string): ReadCatalogFile => readBy(file, parse, BUDGET_NAMES);

/**
 * Installs the configured catalog file, if any, as this process's catalog. Returns its path.
 * @throws Error with a sentence per problem
 */
export function useCatalog(config: Pick<Config, 'CATALOG_FILE' | 'SEVENGATE_HOME'>): string | null {
  const file = catalogFilePath(config);
  if (file === null) return null;
  const read = readCatalogFile(file);
  if (!read.ok) throw new Error(read.problems.map((problem) => problemText(file, problem)).join('\nsevengate: '));
  CATALOG.use(read.source);
  return file;
}
