/** Name of a panel that something else on the page asks to see; null once it is shown. */
import { createStore } from './kit/store.ts';

export const panelAsked = createStore<string | null>(null);
