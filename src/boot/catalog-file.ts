/** The catalog file: read whole and checked, or refused with every problem by its line. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { InputError } from '../../api/problem.ts';
import { parseStrictJson } from '../../api/strict-json.ts';
import { readNamedFile } from '../adapters/named-file.ts';
import { CATALOG, type CatalogSource } from '../domain/catalog.ts';
import { readCatalogDocument } from '../domain/catalog-document.ts';
import type { Problem } from '../domain/field.ts';
import type { Config } from './config.ts';
import { BUDGET_NAMES } from './outside/index.ts';

/** A problem of a file, and the line that it begins in; the next line above it that there is, where something is missing. */
export interface FileProblem extends Problem {
  readonly line: number;
}

/** What a file came to: its source, or every problem. */
export type ReadCatalogFile =
  | { readonly ok: true; readonly source: CatalogSource }
  | { readonly ok: false; readonly problems: readonly FileProblem[] };

/** @throws Error in one sentence where the file cannot be read at all. */
export function readCatalogFile(file: string): ReadCatalogFile {
  const text = readNamedFile(file);
  const places = new Map<string, number>();
  const located = (problems: readonly Problem[]): ReadCatalogFile => ({
    ok: false,
    problems: problems.map((problem) => ({ ...problem, line: lineOf(text, places, problem.path) })),
  });
  try {
    const read = readCatalogDocument(parseStrictJson(text, places), BUDGET_NAMES);
    return read.ok ? read : located(read.problems);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return located(error.problems);
  }
}

/** The line in which the value of a path begins, or else the value that it belongs to; counted from 1. */
function lineOf(text: string, places: ReadonlyMap<string, number>, path: string): number {
  let at = path;
  while (!places.has(at) && /[.[]/.test(at)) at = at.replace(/(\.[^.[\]]*|\[\d+\]|[^.[]+)$/, '');
  return text.slice(0, places.get(at) ?? 0).split('\n').length;
}

/** `<file>:<line> <path>: <problem>; allowed: <what>`. */
export function problemText(file: string, { line, path, problem, allowed }: FileProblem): string {
  return `${file}:${line} ${path}: ${problem}; allowed: ${allowed}`;
}

/** The catalog file of these settings; null where there is none, and the built-in catalog holds. */
export function catalogFileOf({
  CATALOG_FILE: named,
  SEVENGATE_HOME: home,
}: Pick<Config, 'CATALOG_FILE' | 'SEVENGATE_HOME'>): string | null {
  if (named !== null) return resolve(named);
  const imported = join(resolve(home), 'catalog.json');
  return existsSync(imported) ? imported : null;
}

/**
 * Makes this process's catalog of the file, where there is one, and answers which file that was.
 * @throws Error with a sentence for every problem.
 */
export function useCatalog(config: Pick<Config, 'CATALOG_FILE' | 'SEVENGATE_HOME'>): string | null {
  const file = catalogFileOf(config);
  if (file === null) return null;
  const read = readCatalogFile(file);
  if (!read.ok) throw new Error(read.problems.map((problem) => problemText(file, problem)).join('\nsevengate: '));
  CATALOG.use(read.source);
  return file;
}
