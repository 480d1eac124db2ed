/** The page, what of it is shown, and the instrument that is chosen; all stand in the address, so that they can be kept and shared. */
import { createKeptStore, createStore } from './kit/store.ts';
import { presentAddress } from './old-addresses.ts';

const KEPT = 'sevengate.terminal.instrument';

export const instrument = createKeptStore(KEPT, 'spotexchange:BTCUSDT');
export const page = createStore('trade');
/** Part of the address after the page's name: `7/costs` of `#/agents/7/costs`. */
export const within = createStore('');

/** Name of a panel that something else on the page asks to see; null once it is shown. */
export const panelAsked = createStore<string | null>(null);

/** The venue of `spotexchange:BTCUSDT`. */
export const venueIn = (key: string): string => key.slice(0, key.indexOf(':'));

function readAddress(): void {
  const asked = location.hash.replace(/^#\/?/, '');
  const present = presentAddress(asked);
  if (present !== asked) history.replaceState(null, '', `#/${present}`);
  const [, name = '', ...rest] = location.hash.split('/');
  const [key = ''] = rest;
  within.set(rest.join('/'));
  page.set(name === '' ? 'trade' : name);
  if (name === 'trade' && key !== '') instrument.set(decodeURIComponent(key));
}

/** Follows the address until the returned function is called. */
export function followAddress(): () => void {
  addEventListener('hashchange', readAddress);
  readAddress();
  return () => removeEventListener('hashchange', readAddress);
}

export function goTo(name: string): void {
  location.hash = `#/${name}`;
}

/** Chooses the instrument that every panel follows. */
export function choose(key: string): void {
  goTo(`trade/${encodeURIComponent(key)}`);
}
