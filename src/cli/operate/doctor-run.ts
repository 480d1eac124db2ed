/** Implementation of `sevengate doctor`, loaded only when it runs. */
import { examineMachine, type Finding } from '../../adapters/process/machine-check.ts';
import { checkedSources } from '../../adapters/venues/source-checks.ts';
import { CATALOG } from '../../domain/catalog/catalog.ts';
import type { CommandSettings, Service } from '../ports.ts';

/** Checks everything that a start requires. */
export async function examine(service: Service): Promise<Finding[]> {
  const node: Finding = { what: 'Node.js', ok: true, detail: `${process.version} on ${process.platform} ${process.arch}` };
  const config = service.readSettings();
  if (!('PORT' in config)) return [node, ...config.map(({ variable, sentence }) => ({ what: variable, ok: false, detail: sentence }))];
  const understood: Finding = { what: 'settings', ok: true, detail: 'all settings are valid' };
  return [node, understood, await examineCatalog(service, config), ...(await examineMachine(config, service.path))];
}

/** Checks the catalog file against the configured sources, like a start does. */
async function examineCatalog(service: Service, config: CommandSettings): Promise<Finding> {
  try {
    const file = await service.useCatalog();
    const warnings = checkedSources(config, await service.statedBudgets());
    const detail = [`${CATALOG.entries.length} instruments, ${file ?? 'built in'}`, ...warnings].join('; ');
    return { what: 'catalog', ok: warnings.length === 0, detail };
  } catch (error) {
    return { what: 'catalog', ok: false, detail: (error as Error).message };
  }
}
