import Type, { type Static } from 'typebox'

export const wireLanguage = Type.Union([Type.Literal('en'), Type.Literal('fr')], {
  description: 'Of the mail; yours, if none',
})
export type Language = Static<typeof wireLanguage>
export type Money = { readonly amount: string; readonly currency: string }
/** A time, in the zone of whoever it happened at. */
export type Moment = { readonly at: string; readonly timeZone: string }

const locales: Record<Language, string> = { en: 'en-GB', fr: 'fr-FR' }

/** Exact: the digits are written as they came, never by way of a number. */
export function sayMoney(language: Language, { amount, currency }: Money): string {
  const decimals = amount.split('.')[1]?.length ?? 0
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  const exact = amount as Intl.StringNumericLiteral
  if (!/^[A-Z]{3}$/.test(currency))
    return `${new Intl.NumberFormat(locales[language], digits).format(exact)} ${currency}`
  const style = { style: 'currency', currency, currencyDisplay: 'code', ...digits } as const
  return new Intl.NumberFormat(locales[language], style).format(exact)
}

export function sayMoment(language: Language, { at, timeZone }: Moment): string {
  const form = { dateStyle: 'long', timeStyle: 'short', timeZone } as const
  return new Intl.DateTimeFormat(locales[language], form).format(new Date(at))
}

/** A day such as 2031-12-31. */
export function sayDay(language: Language, day: string): string {
  const form = { dateStyle: 'long', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(locales[language], form).format(new Date(`${day}T00:00:00Z`))
}

type LinkWords = { subject: string; text: string; button?: string; small: string }

const en = {
  test: 'TEST: play money, no value.',
  on: (platform: string, shop: string) => `Sent by ${shop} through ${platform}.`,
  gift: {
    subject: (shop: string, money: string) => `${shop} sent you a voucher of ${money}`,
    title: (shop: string) => `A voucher for you from ${shop}`,
    text: 'Show this code at the till, or type it in the web shop. It can be spent in parts: what is left stays on it.',
    until: (day: string) => `Valid until ${day}.`,
    locked: (shop: string) => `It is locked with a pin. ${shop} tells you the pin.`,
    open: 'See what is left',
    careful: 'Whoever has this code can spend it. Keep this mail to yourself.',
  },
  receipt: {
    subject: (shop: string, money: string) => `Your receipt from ${shop}: ${money}`,
    refundSubject: (shop: string, money: string) => `Your refund from ${shop}: ${money}`,
    title: 'Your receipt',
    refundTitle: 'Your refund',
    amount: 'Amount',
    charges: 'Charges',
    total: 'Taken from your voucher',
    refunded: 'Given back',
    refundedSince: 'Of this given back',
    when: 'When',
    reference: 'Reference',
    at: 'Shop',
  },
  notice: {
    who: (merchant: string) => `This concerns ${merchant}.`,
    when: 'When',
    key: 'Key',
    address: 'Address',
    reason: 'Reason',
    reasons: { gone: 'It answered 410: gone.', failing: 'It failed for five days.' },
    mode: 'Environment',
    modes: { live: 'live', test: 'test' },
    unexpected: 'If this was not you or one of yours, revoke the key at once and tell whoever runs the platform.',
    kinds: {
      key_created: { subject: 'A key was made', text: 'A new API key was made for your shop.' },
      key_rotated: {
        subject: 'A key was replaced',
        text: 'An API key was replaced. The old one works for another 24 hours.',
      },
      key_revoked: { subject: 'A key was revoked', text: 'An API key was revoked. It no longer works.' },
      webhook_disabled: {
        subject: 'A webhook endpoint was switched off',
        text: 'We switched a webhook endpoint off, and send nothing more to it. What was on its way waits: mend the endpoint and enable it again, and it is sent.',
      },
    },
  },
  invoice: {
    number: 'Invoice',
    amount: 'Amount',
    reason: 'Reason',
    follow: 'See your invoice',
    from: 'From',
    to: 'To',
    date: 'Date',
    due: 'Due',
    description: 'Description',
    quantity: 'Quantity',
    unitPrice: 'Unit price',
    total: 'Total',
    states: { Pending: 'Waits for a decision', Approved: 'Approved', Rejected: 'Rejected', Paid: 'Paid by voucher' },
    kinds: {
      submitted: (name: string) => ({ subject: `${name} sent you an invoice`, text: 'It waits for you to decide.' }),
      received: (shop: string) => ({ subject: `${shop} has your invoice`, text: 'You will hear when it is decided.' }),
      approved: (shop: string) => ({
        subject: `${shop} approved your invoice`,
        text: 'It is paid by a voucher, which comes in a mail of its own.',
      }),
      rejected: (shop: string) => ({ subject: `${shop} rejected your invoice`, text: 'It will not be paid.' }),
    },
  },
  link: {
    sign_up: (platform: string): LinkWords => ({
      subject: `Welcome to ${platform}: confirm your address`,
      text: 'One more step: press the button to confirm that this address is yours, and choose a password. The link works once, for 24 hours.',
      button: 'Confirm my address',
      small: 'If you did not sign up, do nothing: without the link there is no account.',
    }),
    known: (platform: string): LinkWords => ({
      subject: `You have an account with ${platform}`,
      text: 'Somebody, perhaps you, tried to sign up with this address. You have an account already: sign in, or ask for a new password.',
      small: 'If it was not you, there is nothing to do. Nobody was told that you have an account.',
    }),
    reset: (platform: string): LinkWords => ({
      subject: `A new password for ${platform}`,
      text: 'Press the button to choose a new password. The link works once, for an hour. You will be signed out everywhere, and passkeys end.',
      button: 'Choose a new password',
      small: 'If you did not ask for this, do nothing: your password stays as it is.',
    }),
    unknown: (platform: string): LinkWords => ({
      subject: `No account with ${platform}`,
      text: 'Somebody, perhaps you, asked for a new password with this address. There is no account with it: perhaps you signed up with another.',
      small: 'If it was not you, there is nothing to do.',
    }),
    password_changed: (platform: string): LinkWords => ({
      subject: `Your password for ${platform} was changed`,
      text: 'A new password was set, and you were signed out elsewhere.',
      small: 'If this was not you, ask for a new password at once: whoever did it can read your mails.',
    }),
    passkey_added: (platform: string): LinkWords => ({
      subject: `A passkey was added for ${platform}`,
      text: 'It signs you in, and confirms payments as your pin does.',
      small: 'If this was not you, ask for a new password at once: that ends every session and every passkey.',
    }),
    invite: (merchant: string): LinkWords => ({
      subject: `${merchant} invites you`,
      text: `You are invited to work for ${merchant}. The link works once, for a week.`,
      button: 'Accept',
      small: 'If you do not know why, do nothing.',
    }),
  },
}
type Words = typeof en

const fr: Words = {
  test: 'TEST : argent fictif, sans valeur.',
  on: (platform, shop) => `Envoyé par ${shop} avec ${platform}.`,
  gift: {
    subject: (shop, money) => `${shop} vous a envoyé un bon de ${money}`,
    title: (shop) => `Un bon pour vous de la part de ${shop}`,
    text: 'Montrez ce code à la caisse ou saisissez-le dans la boutique en ligne. Il peut être dépensé en plusieurs fois : le reste y demeure.',
    until: (day) => `Valable jusqu’au ${day}.`,
    locked: (shop) => `Il est protégé par un code PIN. ${shop} vous le communique.`,
    open: 'Voir ce qui reste',
    careful: 'Toute personne qui a ce code peut le dépenser. Gardez ce message pour vous.',
  },
  receipt: {
    subject: (shop, money) => `Votre reçu de ${shop} : ${money}`,
    refundSubject: (shop, money) => `Votre remboursement de ${shop} : ${money}`,
    title: 'Votre reçu',
    refundTitle: 'Votre remboursement',
    amount: 'Montant',
    charges: 'Frais',
    total: 'Débité de votre bon',
    refunded: 'Remboursé',
    refundedSince: 'Dont remboursé',
    when: 'Date',
    reference: 'Référence',
    at: 'Boutique',
  },
  notice: {
    who: (merchant) => `Ceci concerne ${merchant}.`,
    when: 'Date',
    key: 'Clé',
    address: 'Adresse',
    reason: 'Motif',
    reasons: { gone: 'Elle a répondu 410 : disparue.', failing: 'Elle a échoué pendant cinq jours.' },
    mode: 'Environnement',
    modes: { live: 'production', test: 'test' },
    unexpected:
      'Si ce n’était ni vous ni l’un des vôtres, révoquez la clé immédiatement et prévenez la personne qui exploite la plateforme.',
    kinds: {
      key_created: { subject: 'Une clé a été créée', text: 'Une nouvelle clé d’API a été créée pour votre boutique.' },
      key_rotated: {
        subject: 'Une clé a été remplacée',
        text: 'Une clé d’API a été remplacée. L’ancienne fonctionne encore 24 heures.',
      },
      key_revoked: {
        subject: 'Une clé a été révoquée',
        text: 'Une clé d’API a été révoquée. Elle ne fonctionne plus.',
      },
      webhook_disabled: {
        subject: 'Une adresse de webhook a été désactivée',
        text: 'Nous avons désactivé une adresse de webhook et n’y envoyons plus rien. Ce qui était en route attend : réparez l’adresse et réactivez-la, et tout est envoyé.',
      },
    },
  },
  invoice: {
    number: 'Facture',
    amount: 'Montant',
    reason: 'Motif',
    follow: 'Voir votre facture',
    from: 'De',
    to: 'À',
    date: 'Date',
    due: 'Échéance',
    description: 'Désignation',
    quantity: 'Quantité',
    unitPrice: 'Prix unitaire',
    total: 'Total',
    states: { Pending: 'En attente d’une décision', Approved: 'Approuvée', Rejected: 'Refusée', Paid: 'Payée par bon' },
    kinds: {
      submitted: (name) => ({ subject: `${name} vous a envoyé une facture`, text: 'Elle attend votre décision.' }),
      received: (shop) => ({ subject: `${shop} a reçu votre facture`, text: 'Vous serez informé de la décision.' }),
      approved: (shop) => ({
        subject: `${shop} a approuvé votre facture`,
        text: 'Elle est payée par un bon, qui arrive dans un message séparé.',
      }),
      rejected: (shop) => ({ subject: `${shop} a refusé votre facture`, text: 'Elle ne sera pas payée.' }),
    },
  },
  link: {
    sign_up: (platform) => ({
      subject: `Bienvenue chez ${platform} : confirmez votre adresse`,
      text: 'Encore une étape : appuyez sur le bouton pour confirmer que cette adresse est la vôtre et choisir un mot de passe. Le lien fonctionne une fois, pendant 24 heures.',
      button: 'Confirmer mon adresse',
      small: 'Si vous ne vous êtes pas inscrit, ne faites rien : sans le lien, il n’y a pas de compte.',
    }),
    known: (platform) => ({
      subject: `Vous avez un compte chez ${platform}`,
      text: 'Quelqu’un, peut-être vous, a voulu s’inscrire avec cette adresse. Vous avez déjà un compte : connectez-vous ou demandez un nouveau mot de passe.',
      small: 'Si ce n’était pas vous, il n’y a rien à faire. Personne n’a appris que vous avez un compte.',
    }),
    reset: (platform) => ({
      subject: `Un nouveau mot de passe pour ${platform}`,
      text: 'Appuyez sur le bouton pour choisir un nouveau mot de passe. Le lien fonctionne une fois, pendant une heure. Vous serez déconnecté partout, et vos clés d’accès prennent fin.',
      button: 'Choisir un nouveau mot de passe',
      small: 'Si vous n’avez rien demandé, ne faites rien : votre mot de passe ne change pas.',
    }),
    unknown: (platform) => ({
      subject: `Pas de compte chez ${platform}`,
      text: 'Quelqu’un, peut-être vous, a demandé un nouveau mot de passe avec cette adresse. Aucun compte ne l’utilise : vous vous êtes peut-être inscrit avec une autre.',
      small: 'Si ce n’était pas vous, il n’y a rien à faire.',
    }),
    password_changed: (platform) => ({
      subject: `Votre mot de passe pour ${platform} a changé`,
      text: 'Un nouveau mot de passe a été choisi, et vous avez été déconnecté ailleurs.',
      small:
        'Si ce n’était pas vous, demandez immédiatement un nouveau mot de passe : quelqu’un peut lire vos messages.',
    }),
    passkey_added: (platform) => ({
      subject: `Une clé d’accès a été ajoutée pour ${platform}`,
      text: 'Elle vous connecte et confirme les paiements comme votre code PIN.',
      small:
        'Si ce n’était pas vous, demandez immédiatement un nouveau mot de passe : cela met fin à toutes les sessions et clés d’accès.',
    }),
    invite: (merchant) => ({
      subject: `${merchant} vous invite`,
      text: `Vous êtes invité à travailler pour ${merchant}. Le lien fonctionne une fois, pendant une semaine.`,
      button: 'Accepter',
      small: 'Si vous ne savez pas pourquoi, ne faites rien.',
    }),
  },
}

export const words: Record<Language, Words> = { en, fr }
