/** Current page, its part, and the chosen instrument. All are in the URL, so that they can be bookmarked and shared. */
import { createKeptStore, createStore } from './kit/store.ts';
import { presentAddress } from './old-addresses.ts';

const KEPT = 'sevengate.terminal.instrument';

export const instrument = createKeptStore(KEPT, 'spotexchange:BTCUSDT');
export const page = createStore('trade');
/** Part of the URL after the page's name: `7/costs` of `#/agents/7/costs`. */
export const within = createStore('');

/** Panel to bring into view, or null once it is shown. */
export const panelAsked = createStore<string | null>(null);

/** Returns the venue of `spotexchange:BTCUSDT`. */
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

/** Follows the URL until the returned function is called. */
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
