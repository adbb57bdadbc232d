/** What a notification says, in the language of the device: the worker cannot read what was chosen in the app. */
export function words(language: string) {
  return language.startsWith('fr')
    ? {
        title: (merchant: string) => `${merchant} vous demande de payer`,
        body: (amount: string, currency: string) => `${amount} ${currency}`,
      }
    : {
        title: (merchant: string) => `${merchant} asks you to pay`,
        body: (amount: string, currency: string) => `${amount} ${currency}`,
      }
}
