/** A checkout and a licence on the wire. */
import { type Static, Type } from 'typebox';
import { type CheckoutView, checkout, type Licence, licence } from '../../../actors/checkout/resource.ts';

export const CheckoutBody = Type.Object(checkout.wire, { $id: 'Checkout' });

export function checkoutBody(view: CheckoutView): Static<typeof CheckoutBody> {
  return checkout.body(view, view);
}

export const LicenceBody = Type.Object(licence.wire, { $id: 'Licence' });

export function licenceBody(view: Licence): Static<typeof LicenceBody> {
  return licence.body(view, view);
}
