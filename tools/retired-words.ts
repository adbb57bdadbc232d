// The words that Scrip no longer uses in what people read, and the few places where one of them is right.
// docs/contributing/vocabulary.md says what each concept is called.

type RetiredWord = {
  readonly pattern: RegExp
  /** What to write instead. */
  readonly use: string
  /** Screens also cover emails, error messages and API summaries; the rest is README and docs. */
  readonly in: 'all' | 'screens' | 'French screens'
}

type AllowedUse = {
  readonly file: RegExp
  /** Part of the sentence that may stay. */
  readonly text: string
  readonly reason: string
}

const everywhere: readonly (readonly [RegExp, string])[] = [
  [/\btold\b|\btells?\b/i, 'publish, return, say'],
  [/\bwhoever\b|\bwhomever\b/i, 'name who acts'],
  [/\bsomebody\b|\banybody\b/i, 'name who acts'],
  [/\bhe\b|\bhis\b|\bhim\b|\bhimself\b/i, 'they, their, or name who acts'],
  [/\bwho (asked|asks|runs the platform|works there)\b/i, 'name who acts'],
  [/\baftercare\b/i, 'voucher lifecycle'],
  [/\bthe house\b|\bhouse merchant\b/i, 'platform merchant'],
  [/\be-mail|\bmail ?box\b/i, 'email, inbox'],
  [/\bplay money\b/i, 'test mode, test data'],
  [/\banew\b/i, 'again'],
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\bborne\b|\bbears?\b/i, 'pays, costs'],
  [/\bdispos(e|es|ed)\b/i, 'spend, remove'],
  [/\blook(s|ed)? (at it|into your)\b/i, 'Review, Check'],
  [/\b(six|four|6|4) figures\b/i, 'digits'],
  [/\bbring(s|ing)? in (a )?coin\b/i, 'deposit crypto'],
  [/\bsmall letters\b/i, 'lowercase letters'],
  [/\bone door\b/i, 'one function, one place'],
  [/\bdies?\b|\bdying\b/i, 'crash, stop'],
  [/\bin the words of\b/i, 'say what it maps to'],
]

const screens: readonly (readonly [RegExp, string])[] = [
  [/\bpin\b/, 'PIN'],
  [/\bfigures?\b/i, 'digits, numbers'],
  [/\bkept\b|\bkeep it at hand\b/i, 'saved, cached, held'],
  [/\bcharges\b/i, 'fee'],
  [/\bcoins?\b/i, 'crypto, or the currency'],
  [/\bsweeps?\b/i, 'job'],
  [/\bnothing (fits|waits|yet)\b/i, 'No results, You’re all caught up, No sales yet'],
  [/\bused up\b/i, 'Fully used'],
  [/\bunder way\b/i, 'Processing'],
  [/\bin the books\b/i, 'Ledger entries'],
  [/\bwhat happened\b/i, 'Timeline'],
  [/\bits life\b/i, 'Activity'],
  [/\basks? you (for|to pay)\b/i, 'requests, Payment request from'],
  [/\bwrite (an|your|the) (amount|address|email|name|code)\b/i, 'Enter'],
  [/\ball together\b/i, 'Total'],
  [/\bas the device\b/i, 'System'],
  [/\bseen, not final\b/i, 'Confirming'],
  [/\btaken back by the network\b/i, 'Reversed'],
  [/\bto whom\b/i, 'Recipient'],
  [/\bthere is no such\b/i, 'not found'],
  [/!(?=\s|$)/, 'no exclamation marks'],
]

const frenchScreens: readonly (readonly [RegExp, string])[] = [
  [/\bécrivez\b/i, 'Saisissez'],
  [/\bapporter une crypto\b/i, 'Déposer des cryptos'],
  [/\bce que vous avez\b/i, 'Soldes'],
  [/\bcomme l[’']appareil\b/i, 'Système'],
  [/\bon me trouve\b/i, 'Profil visible'],
  [/\bcode est faux\b/i, 'Code incorrect'],
  [/\boù vous êtes connecté\b/i, 'Appareils connectés'],
]

export const retiredWords: readonly RetiredWord[] = [
  ...everywhere.map(([pattern, use]): RetiredWord => ({ pattern, use, in: 'all' })),
  ...screens.map(([pattern, use]): RetiredWord => ({ pattern, use, in: 'screens' })),
  ...frenchScreens.map(([pattern, use]): RetiredWord => ({ pattern, use, in: 'French screens' })),
]

export const allowedUses: readonly AllowedUse[] = [
  {
    file: /^docs\/contributing\/vocabulary\.md$/,
    text: '',
    reason: 'The table of what to write instead names the retired words.',
  },
  {
    file: /^(server\/src\/vouchers\/batch\/errors\.ts|web\/dashboard\/words\/en-vouchers\.ts|docs\/reference\/openapi\.json)$/,
    text: 'optionally pin and expires',
    reason: 'These are the names of columns in an imported file.',
  },
  {
    file: /^docs\/reference\/openapi\.json$/,
    text: 'fetch-voucher-redemption-charges',
    reason: 'The name of an endpoint.',
  },
  ...['adresse e-mail', 'cet e-mail', 'un e-mail'].map((text) => ({
    file: /^server\/src\/mail\/words\.ts$/,
    text,
    reason: 'French spells it this way, and this file has both languages.',
  })),
  {
    file: /^web\/\w+\/index\.html$/,
    text: 'ne figure pas',
    reason: 'French, in a page that has both languages.',
  },
]
