import Type, { type Static } from 'typebox'

export const wireLanguage = Type.Union([Type.Literal('en'), Type.Literal('fr')], {
  description: 'Language of the email; yours by default',
})
export type Language = Static<typeof wireLanguage>
export const languages = wireLanguage.anyOf.map(({ const: language }) => language)
/** A time in the time zone of the merchant or user. */
export type Moment = { readonly at: string; readonly timeZone: string }

const locales: Record<Language, string> = { en: 'en-GB', fr: 'fr-FR' }

/** A date and time with its time zone, such as 1 March 2026 at 13:00 GMT+1. */
export function formatMoment(language: Language, { at, timeZone }: Moment): string {
  const date = { year: 'numeric', month: 'long', day: 'numeric' } as const
  const time = { hour: '2-digit', minute: '2-digit', timeZone, timeZoneName: 'short' } as const
  return new Intl.DateTimeFormat(locales[language], { ...date, ...time }).format(new Date(at))
}

/** A date given as 2031-12-31. */
export function formatDay(language: Language, day: string): string {
  const form = { dateStyle: 'long', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(locales[language], form).format(new Date(`${day}T00:00:00Z`))
}

type LinkWords = { subject: string; text: string; button?: string; small: string }
type InvoiceWords = { subject: string; text: string }

const en = {
  test: 'TEST MODE: this has no value.',
  on: (platform: string, shop: string): string => `Sent by ${shop} through ${platform}.`,
  taxNumber: (number: string): string => `Tax number: ${number}`,
  gift: {
    subject: (shop: string, money: string): string => `${shop} sent you a voucher worth ${money}`,
    title: (shop: string): string => `A voucher for you from ${shop}`,
    titleFrom: (sender: string): string => `${sender} gives you a voucher`,
    text: 'Show this code at the till, or enter it in the online shop. You can spend it all at once or bit by bit.',
    until: (day: string): string => `Valid until ${day}.`,
    locked: (shop: string): string => `It is protected by a PIN. ${shop} will give you the PIN.`,
    network: 'Network',
    vault: 'Vault',
    place: 'Keep the network and the vault address with the code: together they redeem the voucher without the shop.',
    open: 'Check the balance',
    qr: 'QR code of the voucher',
    careful: 'Anyone who has this code can spend it. Keep this email to yourself.',
  },
  receipt: {
    subject: (shop: string, money: string): string => `Your receipt from ${shop}: ${money}`,
    refundSubject: (shop: string, money: string): string => `Your refund from ${shop}: ${money}`,
    title: 'Your receipt',
    refundTitle: 'Your refund',
    amount: 'Amount',
    charges: 'Fee',
    total: 'Deducted from your voucher',
    refunded: 'Refunded',
    refundedSince: 'Refunded since',
    when: 'Date',
    reference: 'Reference',
    at: 'Shop',
  },
  notice: {
    who: (merchant: string): string => `This concerns ${merchant}.`,
    when: 'Date',
    key: 'Key',
    address: 'Address',
    reason: 'Reason',
    reasons: { gone: 'It responded 410 Gone.', failing: 'Deliveries failed for five days.' },
    mode: 'Environment',
    modes: { live: 'live', test: 'test' },
    unexpected: 'If this was not you or your team, revoke the key immediately and contact the operator.',
    kinds: {
      key_created: { subject: 'API key created', text: 'A new API key was created for your shop.' },
      key_rotated: {
        subject: 'API key replaced',
        text: 'An API key was replaced. The old key works for another 24 hours.',
      },
      key_revoked: { subject: 'API key revoked', text: 'An API key was revoked. It no longer works.' },
      webhook_disabled: {
        subject: 'Webhook endpoint disabled',
        text: 'We disabled a webhook endpoint. Pending deliveries are waiting: fix the endpoint and enable it again to receive them.',
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
    senderNumber: 'Sender’s number',
    description: 'Description',
    quantity: 'Quantity',
    unitPrice: 'Unit price',
    net: 'Net',
    total: 'Total',
    states: { Pending: 'Pending review', Approved: 'Approved', Rejected: 'Rejected', Paid: 'Paid by voucher' },
    kinds: {
      // The submitter chooses the name on an invoice, so it must not appear in the subject of our email.
      submitted: (): InvoiceWords => ({
        subject: 'You received an invoice',
        text: 'Review it to approve or reject it.',
      }),
      received: (shop: string): InvoiceWords => ({
        subject: `${shop} received your invoice`,
        text: 'We will email you when it is approved or rejected.',
      }),
      approved: (shop: string): InvoiceWords => ({
        subject: `${shop} approved your invoice`,
        text: 'It is paid by voucher. You will receive the voucher in a separate email.',
      }),
      rejected: (shop: string): InvoiceWords => ({
        subject: `${shop} rejected your invoice`,
        text: 'It will not be paid.',
      }),
    },
  },
  link: {
    sign_up: (platform: string): LinkWords => ({
      subject: `Welcome to ${platform}: confirm your address`,
      text: 'Confirm your email address and choose a password. The link works once and expires in 24 hours.',
      button: 'Confirm email address',
      small: 'If you did not sign up, ignore this email. No account is created without the link.',
    }),
    known: (platform: string): LinkWords => ({
      subject: `You have an account with ${platform}`,
      text: 'Someone, perhaps you, tried to sign up with this address. You already have an account: sign in, or reset your password.',
      small: 'If it was not you, ignore this email. We did not reveal that you have an account.',
    }),
    reset: (platform: string): LinkWords => ({
      subject: `Reset your ${platform} password`,
      text: 'Choose a new password. The link works once and expires in an hour. Resetting signs you out on all devices and removes your passkeys.',
      button: 'Choose a new password',
      small: 'If you did not request this, ignore this email. Your password stays the same.',
    }),
    unknown: (platform: string): LinkWords => ({
      subject: `No account with ${platform}`,
      text: 'Someone, perhaps you, requested a password reset for this address. No account uses it. You may have signed up with another address.',
      small: 'If it was not you, ignore this email.',
    }),
    password_changed: (platform: string): LinkWords => ({
      subject: `Your password for ${platform} was changed`,
      text: 'A new password was set, and you were signed out on your other devices.',
      small:
        'If this was not you, reset your password and secure your email account: someone may be able to read your email.',
    }),
    passkey_added: (platform: string): LinkWords => ({
      subject: `A passkey was added for ${platform}`,
      text: 'It can sign you in and confirm payments like your PIN.',
      small: 'If this was not you, reset your password now. This ends all sessions and removes all passkeys.',
    }),
    invite: (merchant: string): LinkWords => ({
      subject: `${merchant} invites you`,
      text: `You are invited to join ${merchant}. The link works once and expires in a week.`,
      button: 'Accept invitation',
      small: 'If you did not expect this, ignore this email.',
    }),
  },
}
type Words = typeof en

const fr: Words = {
  test: 'MODE TEST : sans valeur.',
  on: (platform, shop) => `Envoyé par ${shop} avec ${platform}.`,
  taxNumber: (number) => `N° fiscal : ${number}`,
  gift: {
    subject: (shop, money) => `${shop} vous a envoyé un bon de ${money}`,
    title: (shop) => `Un bon pour vous de la part de ${shop}`,
    titleFrom: (sender) => `${sender} vous offre un bon`,
    text: 'Montrez ce code à la caisse ou saisissez-le dans la boutique en ligne. Vous pouvez le dépenser en une ou plusieurs fois.',
    until: (day) => `Valable jusqu’au ${day}.`,
    locked: (shop) => `Il est protégé par un code PIN. ${shop} vous le communique.`,
    network: 'Réseau',
    vault: 'Coffre',
    place:
      'Conservez le réseau et l’adresse du coffre avec le code : ensemble, ils permettent d’utiliser le bon sans la boutique.',
    open: 'Consulter le solde',
    qr: 'Code QR du bon',
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
    reasons: { gone: 'Réponse 410 Gone.', failing: 'Les envois ont échoué pendant cinq jours.' },
    mode: 'Environnement',
    modes: { live: 'production', test: 'test' },
    unexpected: 'Si ce n’était ni vous ni votre équipe, révoquez la clé immédiatement et contactez l’opérateur.',
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
        text: 'Nous avons désactivé une adresse de webhook. Les envois en attente sont conservés : corrigez l’adresse et réactivez-la pour les recevoir.',
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
    senderNumber: 'Numéro de l’expéditeur',
    description: 'Désignation',
    quantity: 'Quantité',
    unitPrice: 'Prix unitaire',
    net: 'Total hors taxes',
    total: 'Total',
    states: { Pending: 'À examiner', Approved: 'Approuvée', Rejected: 'Refusée', Paid: 'Payée par bon' },
    kinds: {
      submitted: () => ({ subject: 'Vous avez reçu une facture', text: 'Examinez-la pour l’approuver ou la refuser.' }),
      received: (shop) => ({
        subject: `${shop} a reçu votre facture`,
        text: 'Nous vous écrirons quand elle sera approuvée ou refusée.',
      }),
      approved: (shop) => ({
        subject: `${shop} a approuvé votre facture`,
        text: 'Elle est payée par un bon, que vous recevrez dans un e-mail séparé.',
      }),
      rejected: (shop) => ({ subject: `${shop} a refusé votre facture`, text: 'Elle ne sera pas payée.' }),
    },
  },
  link: {
    sign_up: (platform) => ({
      subject: `Bienvenue chez ${platform} : confirmez votre adresse`,
      text: 'Confirmez votre adresse e-mail et choisissez un mot de passe. Le lien fonctionne une fois et expire dans 24 heures.',
      button: 'Confirmer mon adresse',
      small: 'Si vous ne vous êtes pas inscrit, ignorez cet e-mail. Aucun compte n’est créé sans le lien.',
    }),
    known: (platform) => ({
      subject: `Vous avez un compte chez ${platform}`,
      text: 'Quelqu’un, peut-être vous, a voulu s’inscrire avec cette adresse. Vous avez déjà un compte : connectez-vous ou demandez un nouveau mot de passe.',
      small: 'Si ce n’était pas vous, ignorez cet e-mail. Nous n’avons pas révélé que vous avez un compte.',
    }),
    reset: (platform) => ({
      subject: `Un nouveau mot de passe pour ${platform}`,
      text: 'Choisissez un nouveau mot de passe. Le lien fonctionne une fois et expire dans une heure. Vous serez déconnecté de tous vos appareils et vos clés d’accès seront supprimées.',
      button: 'Choisir un nouveau mot de passe',
      small: 'Si vous n’avez rien demandé, ignorez cet e-mail. Votre mot de passe ne change pas.',
    }),
    unknown: (platform) => ({
      subject: `Pas de compte chez ${platform}`,
      text: 'Quelqu’un, peut-être vous, a demandé un nouveau mot de passe avec cette adresse. Aucun compte ne l’utilise : vous vous êtes peut-être inscrit avec une autre.',
      small: 'Si ce n’était pas vous, ignorez cet e-mail.',
    }),
    password_changed: (platform) => ({
      subject: `Votre mot de passe pour ${platform} a changé`,
      text: 'Un nouveau mot de passe a été défini, et vous avez été déconnecté de vos autres appareils.',
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
      text: `Vous êtes invité à rejoindre ${merchant}. Le lien fonctionne une fois et expire dans une semaine.`,
      button: 'Accepter l’invitation',
      small: 'Si vous n’attendiez pas cette invitation, ignorez cet e-mail.',
    }),
  },
}

export const words: Record<Language, Words> = { en, fr }

/** The address and the tax number of a shop, in lines. Empty if neither is set. */
export function imprintOf(
  language: Language,
  { address, taxNumber }: { readonly address: string; readonly taxNumber: string },
): string[] {
  const lines = [...address.split('\n'), taxNumber === '' ? '' : words[language].taxNumber(taxNumber)]
  return lines.filter((line) => line !== '')
}
