/** Thesis to write into the composer of Takes, or empty once it is written. */
import { createStore } from '../kit/store.ts';

export const thesisAsked = createStore('');
