/** The catalog file: read whole and checked, or refused with every problem by its line; and written whole. */
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CatalogSource } from '../domain/catalog/catalog.ts';
import { catalogDocument, readCatalogDocument } from '../domain/catalog/catalog-document.ts';
import type { Problem } from '../domain/values/field.ts';
import { readNamedFile } from './named-file.ts';

/** A problem of a file, and the line that it begins in; the next line above it that there is, where something is missing. */
export interface FileProblem extends Problem {
  readonly line: number;
}

/** Result of reading a file: its source, or every problem. */
export type ReadCatalogFile =
  | { readonly ok: true; readonly source: CatalogSource }
  | { readonly ok: false; readonly problems: readonly FileProblem[] };

/** Reads a text as JSON, tells `places` where each value begins by its path, or answers what is wrong with it. */
export type ParseDocument = (
  text: string,
  places: Map<string, number>,
) => { readonly value: unknown } | { readonly problems: readonly Problem[] };

/**
 * @param budgetNames the budgets that a file may state.
 * @throws Error in one sentence if the file cannot be read at all.
 */
export function readCatalogFile(file: string, parse: ParseDocument, budgetNames: readonly string[]): ReadCatalogFile {
  const text = readNamedFile(file);
  const places = new Map<string, number>();
  const parsed = parse(text, places);
  const read = 'problems' in parsed ? ({ ok: false, ...parsed } as const) : readCatalogDocument(parsed.value, budgetNames);
  if (read.ok) return read;
  return { ok: false, problems: read.problems.map((problem) => ({ ...problem, line: lineOf(text, places, problem.path) })) };
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

/** Returns the catalog file of these settings: the named one, else the one imported into the state folder, or null. */
export function catalogFileOf({
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

/** Keeps a source as the catalog file of a state folder. Answers the path of the file. */
export function keepCatalogFile(home: string, source: CatalogSource): string {
  const target = importedIn(home);
  mkdirSync(resolve(home), { recursive: true });
  // Renamed into its place: a start meanwhile reads the one or the other, never a half.
  writeFileSync(`${target}.new`, `${JSON.stringify(catalogDocument(source), null, 2)}\n`);
  renameSync(`${target}.new`, target);
  return target;
}
