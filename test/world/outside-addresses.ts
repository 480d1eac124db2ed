/** Addresses of the outside systems by the service's settings, for a test or benchmark that answers in their place. */
import { isConfig, readConfig } from '../../src/boot/config.ts';
import { type Addresses, readAddresses, SIMULATORS, type SimulatorName } from '../../src/boot/outside/index.ts';

/** @param urlOf Returns the address of each simulator: `http://127.0.0.1:<port>`. */
export function outsideAddresses(urlOf: (name: SimulatorName) => string): Addresses {
  const config = readConfig({});
  if (!isConfig(config)) throw new Error(config.map(({ sentence }) => sentence).join('\n'));
  return readAddresses(config, {
    urls: Object.fromEntries(SIMULATORS.map((name) => [name, urlOf(name)])) as Record<SimulatorName, string>,
  });
}
