/** `sevengate catalog`: checks, imports and exports the catalog file. */
import type { Command } from 'commander';
import { writeNamedFile } from '../adapters/named-file.ts';
import { CATALOG, type CatalogSource } from '../domain/catalog/catalog.ts';
import { catalogChanges, catalogDocument } from '../domain/catalog/catalog-document.ts';
import { catalogFilePath, keepCatalogFile, problemText, type ReadCatalogFile } from '../adapters/catalog-file.ts';
import type { Service } from './ports.ts';
import { print } from './words.ts';

export function catalogCommands(catalog: Command, service: Service): void {
  catalog
    .command('export')
    .description('print the catalog in use as a catalog file')
    .option('--out <file>', 'write to this file instead')
    .option('--json', 'print the catalog on one line')
    .action(async (options: { out?: string; json?: true }) => {
      await service.useCatalog();
      const text = `${JSON.stringify(catalogDocument(CATALOG.source), null, options.json ? 0 : 2)}\n`;
      if (options.out === undefined) process.stdout.write(text);
      else writeNamedFile(options.out, text);
    });

  catalog
    .command('check')
    .description('check a catalog file and list every problem')
    .argument('[file]', 'the file (default: the one in use)')
    .option('--json', 'print the result as JSON')
    .action(async (file: string | undefined, options: { json?: true }) => {
      const config = service.settings();
      const checked = file ?? catalogFilePath(config);
      const read: ReadCatalogFile = checked === null ? { ok: true, source: CATALOG.source } : await service.readCatalogFile(checked);
      const told = read.ok ? await outcome(service, read.source) : { refusals: [], warnings: [] };
      const problems = read.ok ? [] : read.problems;
      const ok = problems.length + told.refusals.length === 0;
      if (options.json) print(JSON.stringify({ ok, file: checked, problems, ...told }));
      else for (const line of checkText(checked, read, told)) print(line);
      if (!ok) process.exitCode = 1;
    });

  catalog
    .command('import')
    .description('check a catalog file and copy it to the state folder; used from the next start')
    .argument('<file>', 'the file')
    .option('--allow-removals', 'import it even if it removes instruments that are in use')
    .option('--json', 'print the result as JSON')
    .action((file: string, options: { allowRemovals?: true; json?: true }) => importCommand(service, file, options));
}

/** Checks the settings against a catalog, which becomes this process's catalog. */
async function outcome(service: Service, source: CatalogSource) {
  const { checkedSources, pollingCapacity } = await import('../adapters/venues/source-checks.ts');
  const config = service.settings();
  CATALOG.use(source);
  const stated = await service.statedBudgets();
  const capacity = config.SPOTCHAIN_URL === null ? null : pollingCapacity(stated);
  const instruments = CATALOG.entries.length;
  try {
    return { instruments, capacity, refusals: [], warnings: checkedSources(config, stated) };
  } catch (error) {
    return { instruments, capacity, refusals: (error as Error).message.split('\nsevengate: '), warnings: [] };
  }
}

function checkText(
  file: string | null,
  read: ReadCatalogFile,
  told: Pick<Awaited<ReturnType<typeof outcome>>, 'refusals' | 'warnings'>,
): string[] {
  if (!read.ok) return read.problems.map((problem) => problemText(file ?? 'the catalog', problem));
  const state = told.refusals.length === 0 ? 'good' : 'refused at the start';
  return [
    `${file ?? 'the built-in catalog'}: ${CATALOG.entries.length} instruments, ${CATALOG.feeds.length} reference feeds, ${state}`,
    ...told.refusals,
    ...told.warnings,
  ];
}

async function importCommand(service: Service, file: string, options: { allowRemovals?: true; json?: true }): Promise<void> {
  const config = service.settings();
  if (config.CATALOG_FILE !== null)
    throw new Error('CATALOG_FILE names the catalog already: change that file, or remove the setting and import into the state folder');
  await service.useCatalog();
  const before = CATALOG.source;
  const read = await service.readCatalogFile(file);
  if (!read.ok) throw new Error(read.problems.map((problem) => problemText(file, problem)).join('\nsevengate: '));
  const changes = catalogChanges(before, read.source);
  if (changes.removed.length > 0 && options.allowRemovals !== true)
    throw new Error(
      `${file} leaves out ${changes.removed.join(', ')}: positions and agents may hold these, so end a token with "validTo" instead, or import with --allow-removals`,
    );
  const { refusals, warnings } = await outcome(service, read.source);
  if (refusals.length > 0) throw new Error(refusals.join('\nsevengate: '));
  const target = keepCatalogFile(config.SEVENGATE_HOME, read.source);
  if (options.json) print(JSON.stringify({ file: target, ...changes, warnings }));
  else {
    const counts = (['added', 'changed', 'removed'] as const).map((what) => `${changes[what].length} ${what}`).join(', ');
    print(`${target}: ${CATALOG.entries.length} instruments (${counts}); it holds from the next start of each process`);
    for (const warning of warnings) print(warning);
  }
}
