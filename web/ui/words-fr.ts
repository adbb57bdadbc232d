import type { UiWords } from './words-en.ts'

export const fr: UiWords = {
  testMode: 'Mode test',
  testMeaning: '\u00a0: aucun argent réel',
  language: 'Langue',
  copy: { done: 'Copié', refused: 'Votre navigateur a bloqué la copie. Sélectionnez plutôt le texte.' },
  unreachable: 'Nous n’avons pas pu joindre le serveur. Vérifiez que vous êtes en ligne.',
  signIn: {
    emailMissing: 'Saisissez votre adresse e-mail.',
    emailInvalid: 'Saisissez une adresse e-mail, par exemple ivy@example.com.',
    passwordMissing: 'Saisissez votre mot de passe.',
    codeMissing: 'Saisissez les 6 chiffres de votre application d’authentification.',
    recoveryCodeMissing: 'Saisissez l’un de vos codes de récupération.',
    codeWrong: 'Ce code est incorrect ou a expiré.',
  },
  ticket: {
    left: 'Solde restant',
    leftAtExpiry: 'Solde à l’expiration',
    of: 'sur',
    code: 'Code',
    codeAndShopCode: (shopCode) => `Code, avec le code de la boutique ${shopCode}`,
    balanceOfAmount: (balance, amount) => `${balance} sur ${amount}`,
    stamps: { open: '', used: 'Épuisé', expired: 'Expiré' },
  },
}
