/** Gives fast-check the seed of the run in every test file. */
import fc from 'fast-check';
import { seedOfRun } from './seed.ts';

fc.configureGlobal({ seed: seedOfRun() });
