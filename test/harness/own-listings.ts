/** Files share a process and its modules: tokens that one of them listed are not in the catalog of the next. */
import { afterAll } from 'vitest';
import { CATALOG } from '../../src/domain/catalog.ts';

afterAll(() => CATALOG.list([]));
