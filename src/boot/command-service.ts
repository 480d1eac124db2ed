/** Ports of this service for the commands. Modules that only some commands need are loaded on demand. */
import { resolve } from 'node:path';
import { createLiveClock } from '../../streams/clock/live-clock.ts';
import type { Service } from '../cli/ports.ts';
import { EXAMPLE_ORGANIZATION } from '../sandbox/example-organization.ts';
import { catalogSettings, describeSettings, ROLES, type Role, type Config, isConfig, readConfig } from './config.ts';
import { packageVersion } from './version.ts';
import type { SettingProblem } from '../domain/settings/settings-table.ts';

// The same module instance that the command imported first. It runs before TypeScript loads and so has no types.
const { takeSecrets } = (await import(new URL('./early-secrets.mjs', import.meta.url).href)) as {
  takeSecrets(): Readonly<Record<string, string>>;
};
let read: Config | readonly SettingProblem[] | null = null;

/** Returns every setting, or every problem. */
function readOnce(): Config | readonly SettingProblem[] {
  read ??= readConfig({ ...process.env, ...takeSecrets() });
  return read;
}

/** Returns the settings. @throws Error naming each invalid setting, why it is invalid and what is allowed */
function settings(): Config {
  const result = readOnce();
  if (isConfig(result)) return result;
  throw new Error(result.map(({ sentence }) => sentence).join('\nsevengate: '));
}

export const commandService: Service = {
  version: packageVersion(),
  path: process.env['PATH'] ?? '',
  roles: ROLES,
  exampleOrganization: EXAMPLE_ORGANIZATION,
  settings,
  readSettings: readOnce,
  describeSettings,

  async start({ roles, ...options }) {
    const { start } = await import('./start.ts');
    const { path } = commandService;
    return start({
      ...options,
      path,
      config: settings(),
      roles: roles.filter((role): role is Role => ROLES.some((known) => known === role)),
    });
  },

  async moveSandboxOn(stretch) {
    const { moveOn } = await import('./sandbox/sandbox-stretch.ts');
    return moveOn(settings(), stretch);
  },

  async useCatalog() {
    // Other invalid settings stop only the commands that need them.
    const stated = catalogSettings(process.env);
    const { catalogFilePath } = await import('../adapters/catalog-file.ts');
    if (stated !== null && catalogFilePath(stated) === null) return null;
    return (await import('./used-catalog.ts')).useCatalog(settings());
  },
  readCatalogFile: async (file) => (await import('./used-catalog.ts')).readCatalogFile(file),
  statedBudgets: async () => (await import('./outside/index.ts')).statedBudgets(settings()),

  async histories() {
    const { createVenues } = await import('./outside/index.ts');
    return createVenues(await reach()).histories;
  },
  obtainableHistory: async () => (await import('./sandbox/sandbox-past.ts')).obtainableHistory({ config: settings(), runs: () => true }),
  async spotAccounts(sign) {
    const { openSpotAccounts } = await import('../adapters/venues/spotexchange/access.ts');
    return openSpotAccounts(await reach(), sign);
  },
  async mintToken({ subject, lifetimeS, clock }) {
    const [{ localSigningKeys }, { SANDBOX_AUDIENCE }] = await Promise.all([
      import('../sandbox/identity/identity-folder.ts'),
      import('../sandbox/identity/provider.ts'),
    ]);
    return localSigningKeys(resolve(settings().SEVENGATE_HOME), clock).mintToken({ subject, audience: SANDBOX_AUDIENCE, lifetimeS });
  },

  actorKinds: async () => (await import('./capabilities/index.ts')).ACTOR_KINDS,
  members: async (sql, clock, newId) => (await import('./wiring/members.ts')).createMembers(sql, clock, newId),
  backtest: async (work, post) => (await import('./threads/backtest-worker.ts')).workFromStore(work, post),
  sweep: async (work, post) => (await import('./threads/backtest-worker.ts')).sweepFromStore(work, post),
};

/** Returns a command's access to the outside systems: those in the settings, or the sandbox of the running service. */
async function reach() {
  const [{ readAddresses, createRequestBudgets, statedBudgets }, { knownSandbox }] = await Promise.all([
    import('./outside/index.ts'),
    import('./sandbox/sandbox.ts'),
  ]);
  const config = settings();
  const addresses = readAddresses(config, knownSandbox(config));
  const budgets = createRequestBudgets(statedBudgets(config));
  return { addresses, budgets, clock: createLiveClock(), random: Math.random, note: () => {} };
}
