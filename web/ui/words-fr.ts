import type { UiWords } from './words-en.ts'

export const fr: UiWords = {
  testBand: 'Mode test\u00a0: aucun argent réel',
  language: 'Langue',
  unreachable: 'Nous n’avons pas pu joindre le serveur. Vérifiez que vous êtes en ligne.',
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
