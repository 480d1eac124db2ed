// Every export is imported, and every file is reachable.
import { expect, test } from 'vitest';
import { files, product } from './source.ts';

// Files reached by something other than an import.
const REACHED: Readonly<Record<string, string>> = {
  'src/boot/cli.ts': 'the command',
  'src/adapters/undici.d.ts': 'the compiler, for what the package does not declare',
  'clients/typescript/src/index.ts': 'an entry of the package',
  'clients/typescript/src/local.ts': 'an entry of the package',
};

const EXPORT = /^export\s+(?:declare\s+)?(?:async\s+)?(?:abstract\s+)?(?:function\*?|const|let|class|interface|type)\s+([\w$]+)/gm;
const LIST = /^export\s+(?:type\s+)?\{([^}]*)\}(?!\s*from)/gm;
const taken = new Map<string, Set<string>>();
for (const { path, imports } of files) {
  for (const { own, from, names } of imports) {
    if (!own || from === path) continue;
    const set = taken.get(from) ?? new Set();
    for (const name of names) set.add(name);
    taken.set(from, set);
  }
}

test('every file of the product is imported by another', () => {
  expect(product.map(({ path }) => path).filter((path) => !taken.has(path) && !(path in REACHED))).toEqual([]);
});

test('every export is imported by another file', () => {
  const dead = product.flatMap(({ path, code }) => {
    const users = taken.get(path) ?? new Set();
    if (path in REACHED || users.has('*')) return [];
    const listed = [...code.matchAll(LIST)].flatMap(([, list = '']) =>
      list.split(',').map((one) =>
        one
          .trim()
          .split(/\s+as\s+/)
          .at(-1),
      ),
    );
    const names = [...code.matchAll(EXPORT)].map(([, name]) => name).concat(listed);
    return names.filter((name) => name && !users.has(name)).map((name) => `${path}: ${name}`);
  });
  expect(dead).toEqual([]);
});
