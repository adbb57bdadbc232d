export type SecondFactorWords = typeof enOfSecondFactor

/** Setting up the second factor of a sign-in. */
export const enOfSecondFactor = {
  secondFactor: {
    heading: 'Two-step sign-in',
    required:
      'Owners of live shops and operators sign in with a one-time code besides their password. Set it up now to continue.',
    needed:
      'You need an authenticator app on your phone, such as Google Authenticator or Microsoft Authenticator. Install one now if you have none.',
    isOn: 'On. You sign in with a one-time code from your authenticator app.',
    isOff: 'Off. With an authenticator app, a stolen password alone does not open your account.',
    start: 'Set up authenticator app',
    password: 'Your password',
    scan: 'Add an account in the app and scan this code, or enter the key by hand.',
    qr: 'Key for your authenticator app',
    key: 'Key',
    code: 'One-time code',
    codeHint: '6 digits, as your app shows them now.',
    confirm: 'Confirm code',
    recovery: 'Recovery codes',
    recoveryLead:
      'Each signs you in once if you lose your phone. Print them or store them in a safe place: they are not shown again.',
    saved: 'I have saved the codes',
  },
}
