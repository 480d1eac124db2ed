/** Gives fast-check the run's seed in every test file. */
import fc from 'fast-check';
import { seedOfRun } from './seed.ts';

fc.configureGlobal({ seed: seedOfRun() });
