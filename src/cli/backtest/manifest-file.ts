/** Manifests named on the command line: YAML or JSON, in either form. */
import { parseStrictYaml } from '../../../api/http/strict-yaml.ts';
import { readNamedFile } from '../../adapters/named-file.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { readManifest } from '../../domain/manifest/reader.ts';

/** Reads a manifest. @throws Error naming every problem of the file */
export function manifestFromFile(file: string): Manifest {
  const text = readNamedFile(file);
  let value: unknown;
  try {
    value = parseStrictYaml(text);
  } catch (error) {
    throw new Error(`the manifest ${file} cannot be read: ${(error as Error).message.split('\n')[0]}`, { cause: error });
  }
  const read = readManifest(value);
  if (read.ok) return read.manifest;
  const problems = read.problems.map(({ path, problem, allowed }) => `${path}: ${problem} (allowed: ${allowed})`);
  throw new Error(`the manifest ${file} is refused: ${problems.join('; ')}`);
}
