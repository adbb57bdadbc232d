import { conflict, defineErrors, notFound, unacceptable } from '../../base/errors.ts'

export const registerError = defineErrors({
  LOCATION_NOT_FOUND: notFound('You have no location with this id.'),
  LOCATION_NAME_TAKEN: conflict('You have a location with this name already.'),
  REGISTER_NOT_FOUND: notFound('You have no register with this id.'),
  REGISTER_NAME_TAKEN: conflict('This location has a register with this name already.'),
  REGISTER_IN_USE: conflict('A shift is open on a register. Close the shift first.'),
  SHIFT_NOT_FOUND: notFound('You have no shift with this id.'),
  SHIFT_OPEN: conflict('A shift is open on this register already.'),
  SHIFT_CLOSED: conflict('This shift is closed already.'),
  SHIFT_MISSING: conflict('Open a shift on this register before you take or give cash.'),
  SHIFT_CURRENCY: unacceptable('The cash drawer of this shift has another currency.'),
  SHIFT_NOTE_MISSING: unacceptable('The counted cash differs from the expected cash. Write down why.'),
})
