/** Store port of the catalog routes: issuers' marks. */
import type { Catalog } from '../../../src/domain/catalog/catalog.ts';
import type { DecimalString } from '../../../src/domain/values/decimal.ts';
import type { MarkChange } from '../../../src/domain/catalog/issuer-mark.ts';
import type { Page, PageOf } from '../../page.ts';

/** A change of a mark as it was recorded, with the mark before it. */
export interface RecordedMark {
  readonly id: number;
  readonly change: MarkChange;
  readonly previous: { readonly markPrice: DecimalString; readonly markValuation: DecimalString } | null;
}

/** The history of issuers' marks, newest first; of one token, or of all if the instrument is null. */
export interface MarkReads {
  changes(instrument: string | null, page: Page): Promise<PageOf<RecordedMark>>;
}

export interface CatalogPorts {
  readonly entries: Catalog;
  readonly marks: MarkReads;
}
