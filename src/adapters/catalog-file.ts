/** Reads, checks and writes the catalog file. Every problem is reported with its line. */
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CatalogSource } from '../domain/catalog/catalog.ts';
import { catalogDocument, readCatalogDocument } from '../domain/catalog/catalog-document.ts';
import type { Problem } from '../domain/values/field.ts';
import { readNamedFile } from './named-file.ts';

/** Problem of a file with the line where it begins. For a missing value, the line of its nearest ancestor. */
export interface FileProblem extends Problem {
  readonly line: number;
}

/** Result of reading a file: its source, or every problem. */
export type ReadCatalogFile =
  | { readonly ok: true; readonly source: CatalogSource }
  | { readonly ok: false; readonly problems: readonly FileProblem[] };

/** Parses JSON and stores the offset of each value in `places` by path. Returns the problem of invalid JSON. */
export type ParseDocument = (
  text: string,
  places: Map<string, number>,
) => { readonly value: unknown } | { readonly problems: readonly Problem[] };

/** @param budgetNames names of budgets that a file may set. @throws Error with one sentence if the file cannot be read */
export function readCatalogFile(file: string, parse: ParseDocument, budgetNames: readonly string[]): ReadCatalogFile {
  const text = readNamedFile(file);
  const places = new Map<string, number>();
  const parsed = parse(text, places);
  const read = 'problems' in parsed ? ({ ok: false, ...parsed } as const) : readCatalogDocument(parsed.value, budgetNames);
  if (read.ok) return read;
  return { ok: false, problems: read.problems.map((problem) => ({ ...problem, line: findLine(text, places, problem.path) })) };
}

/** Returns the line of the value at a path, or of its nearest ancestor; counted from 1. */
function findLine(text: string, places: ReadonlyMap<string, number>, path: string): number {
  let at = path;
  while (!places.has(at) && /[.[]/.test(at)) at = at.replace(/(\.[^.[\]]*|\[\d+\]|[^.[]+)$/, '');
  return text.slice(0, places.get(at) ?? 0).split('\n').length;
}

/** Formats `<file>:<line> <path>: <problem>; allowed: <values>`. */
export function problemText(file: string, { line, path, problem, allowed }: FileProblem): string {
  return `${file}:${line} ${path}: ${problem}; allowed: ${allowed}`;
}

/** Returns the path of the catalog file: the configured one, else the imported one of the state folder, else null. */
export function catalogFilePath({
  CATALOG_FILE: named,
  SEVENGATE_HOME: home,
}: {
  readonly CATALOG_FILE: string | null;
  readonly SEVENGATE_HOME: string;
}): string | null {
  if (named !== null) return resolve(named);
  const imported = importedIn(home);
  return existsSync(imported) ? imported : null;
}

const importedIn = (home: string): string => join(resolve(home), 'catalog.json');

/** Writes a source as the catalog file of a state folder and returns the path. */
export function keepCatalogFile(home: string, source: CatalogSource): string {
  const target = importedIn(home);
  mkdirSync(resolve(home), { recursive: true });
  // Renaming is atomic: a concurrent start never reads half a file.
  writeFileSync(`${target}.new`, `${JSON.stringify(catalogDocument(source), null, 2)}\n`);
  renameSync(`${target}.new`, target);
  return target;
}
