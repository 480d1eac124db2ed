/** Reads the project's source for the tests of its rooms: files, imports, and code without comments and texts. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ROOMS = ['src', 'streams', 'actors', 'api', 'bench', 'test', 'web', 'clients', 'migrations'];

/** Folders without source. In `exported` a test writes tests that it runs, and deletes them. */
const NOT_SOURCE: ReadonlySet<string> = new Set(['fixtures', 'node_modules', 'exported']);

export interface SourceImport {
  /** Package name, `node:…`, or for our own files the path from the project's root. */
  readonly from: string;
  /** Imported names; `*` for all of them or for side effects. */
  readonly names: readonly string[];
  readonly own: boolean;
  /** `import type`, or every name marked as a type: nothing runs. */
  readonly typeOnly: boolean;
  /** Loaded later: `import()` within the file, or a file named by its URL. */
  readonly later: boolean;
}

export interface SourceFile {
  /** Path from the project's root, with slashes. */
  readonly path: string;
  readonly text: string;
  /** Text with comments and the contents of strings blanked, line breaks kept. */
  readonly code: string;
  readonly imports: readonly SourceImport[];
}

const IMPORT =
  /^\s*(?:import|export)\s+(type\s+)?([\w$*{},\s]+?)\s+from\s+['"]([^'"]+)['"]|^\s*import\s+['"]([^'"]+)['"]|\b(?:import|resolve)\(\s*['"]([^'"]+)['"]\s*\)|new URL\(\s*['"](\.[^'"]+\.(?:ts|mjs))['"]/gm;

/** Files of all rooms, read once. */
export const files: readonly SourceFile[] = ROOMS.flatMap((room) => list(join(ROOT, room))).map((full) => {
  const path = relative(ROOT, full).split('\\').join('/');
  const text = readFileSync(full, 'utf8');
  return {
    path,
    text,
    code: /\.(ts|mjs)$/.test(path) ? withoutTexts(text) : text,
    imports: /\.(tsx?|mjs)$/.test(path) ? importsOf(path, text) : [],
  };
});

/** TypeScript files outside test and bench. */
export const product = files.filter(({ path }) => path.endsWith('.ts') && !/^(test|bench|web)\//.test(path));

function list(folder: string): string[] {
  let entries: ReturnType<typeof readEntries>;
  try {
    entries = readEntries(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return entries.flatMap((entry) => {
    const full = join(folder, entry.name);
    if (entry.isDirectory()) return NOT_SOURCE.has(entry.name) ? [] : list(full);
    return /\.(tsx?|mjs|sql|js|css|html)$/.test(entry.name) ? [full] : [];
  });
}

function readEntries(folder: string) {
  return readdirSync(folder, { withFileTypes: true });
}

/** Blanks comments, texts and regular expressions, but keeps the code in `${…}`. */
export function withoutTexts(text: string): string {
  const token =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[=(,:[!&|?{};\n]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g;
  return text.replace(token, (found) => {
    const kept = found.startsWith('`') ? [...found.matchAll(/\$\{([^{}]*)\}/g)].map((match) => match[1]).join(' ; ') : '';
    return `''${kept ? ` + (${kept})` : ''}${'\n'.repeat((found.match(/\n/g) ?? []).length - (kept.match(/\n/g) ?? []).length)}`;
  });
}

function importsOf(path: string, text: string): SourceImport[] {
  return [...text.matchAll(IMPORT)].map(([, type, clause, named, bare, dynamic, url]) => {
    const specifier = (named ?? bare ?? dynamic ?? url) as string;
    const own = specifier.startsWith('.');
    const from = own ? posix.normalize(posix.join(dirname(path), specifier)) : packageOf(specifier);
    return {
      from,
      own,
      names: namesOf(clause),
      typeOnly: type !== undefined || isTypesOnly(clause),
      later: named === undefined && bare === undefined,
    };
  });
}

function isTypesOnly(clause: string | undefined): boolean {
  const braces = /^\{([^}]*)\}$/.exec((clause ?? '').trim());
  const names = (braces?.[1] ?? '').split(',').filter((name) => name.trim() !== '');
  return names.length > 0 && names.every((name) => /^\s*type\s/.test(name));
}

function namesOf(clause: string | undefined): string[] {
  const braces = /\{([^}]*)\}/.exec(clause ?? '');
  if (clause === undefined || clause.includes('*')) return ['*'];
  const inside = (braces?.[1] ?? '').split(',').map(
    (name) =>
      name
        .trim()
        .replace(/^type\s+/, '')
        .split(/\s+as\s+/)[0] as string,
  );
  return [...inside, /^[\w$]/.test(clause) ? 'default' : ''].filter(Boolean);
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
