/** How emails to the customers of a shop look. */
export type MailBrand = {
  /** As #rrggbb. Empty: the platform's colour. */
  readonly accent: string
  /** A PNG that is shown at half of its size. */
  readonly logo: Buffer | undefined
  /** Lines. */
  readonly address: string
  readonly taxNumber: string
}

export const noBrand: MailBrand = { accent: '', logo: undefined, address: '', taxNumber: '' }
