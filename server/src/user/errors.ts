import { defineErrors } from '../base/errors.ts'

export const userError = defineErrors({
  SESSION_MISSING: { kind: 'unauthenticated', message: 'Sign in first.' },
  REALM_MISSING: { kind: 'malformed', message: 'The header Scrip-Realm says who signs in: live, test or staff.' },
  SIGN_IN_FAILED: { kind: 'unauthenticated', message: 'The address or the password is wrong.' },
  SIGN_IN_REFUSED: { kind: 'unacceptable', message: 'This cannot be done with your sign-in.' },
  OPERATOR_ONLY: { kind: 'forbidden', message: 'This is for who runs the platform.' },
  USER_NOT_FOUND: { kind: 'not_found', message: 'Nobody can be found by this e-mail, username or phone number.' },
  USERNAME_TAKEN: { kind: 'conflict', message: 'Somebody has this username. Choose another.' },
  PHONE_TAKEN: { kind: 'conflict', message: 'Somebody has this phone number.' },
  PASSWORD_MISSING: { kind: 'unacceptable', message: 'Choose a password of 10 to 128 characters.' },
  PASSWORD_WRONG: { kind: 'forbidden', message: 'The password is wrong.' },
  LINK_DEAD: { kind: 'not_found', message: 'This link was used, or its time is over. Ask for a new one.' },
  ADDRESS_KNOWN: { kind: 'conflict', message: 'There is an account with this address already. Sign in.' },
  CONFIRMATION_MISSING: { kind: 'forbidden', message: 'Confirm this with your pin, or sign in again with a passkey.' },
  PIN_NOT_SET: { kind: 'forbidden', message: 'Set a pin first.' },
  PIN_WRONG: { kind: 'forbidden', message: 'The pin is wrong.' },
  PIN_LOCKED: { kind: 'too_many', message: 'The pin was wrong too often. Wait for a while.' },
  PIN_FROZEN: { kind: 'forbidden', message: 'The pin was wrong ten times. Set a new one with your password.' },
  PEOPLE_TOO_MANY: { kind: 'too_many', message: 'You looked for too many different people today.' },
  TOO_MANY_TRIES: { kind: 'too_many', message: 'That was tried too often. Wait for a while.' },
})
