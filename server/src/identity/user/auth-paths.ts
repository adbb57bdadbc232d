// What the server exposes of better-auth: signing in and out, sessions, passkeys and one-time codes. Sign-up and password reset
// are our own (links.ts), because the response times of the library's reveal whether an address has an account.
export const authPaths = new Map<string, 'GET' | 'POST'>([
  ['/sign-in/email', 'POST'],
  ['/sign-out', 'POST'],
  ['/list-sessions', 'GET'],
  ['/revoke-session', 'POST'],
  ['/revoke-other-sessions', 'POST'],
  ['/change-password', 'POST'],
  ['/passkey/generate-register-options', 'GET'],
  ['/passkey/verify-registration', 'POST'],
  ['/passkey/generate-authenticate-options', 'GET'],
  ['/passkey/verify-authentication', 'POST'],
  ['/passkey/list-user-passkeys', 'GET'],
  ['/passkey/delete-passkey', 'POST'],
  ['/two-factor/enable', 'POST'],
  ['/two-factor/disable', 'POST'],
  ['/two-factor/verify-totp', 'POST'],
  ['/two-factor/verify-backup-code', 'POST'],
  ['/two-factor/generate-backup-codes', 'POST'],
])
