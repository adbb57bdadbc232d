import type { Words } from './words-en.ts'

export const fr: Words = {
  heading: (platform) => `Paiements ${platform}`,
  lead: 'Bons, portefeuilles, dépôts en cryptomonnaie et factures, au même endroit.',
  demo: 'Ceci est une démonstration avec des données fictives. npm run dev affiche les comptes pour se connecter.',
  links: {
    wallet: { name: 'Portefeuille', lead: 'Payer, envoyer et convertir de l’argent, déposer des cryptomonnaies.' },
    voucher: { name: 'Bon', lead: 'Consulter le solde d’un bon ou l’utiliser en caisse.' },
    invoice: { name: 'Facture', lead: 'Envoyer une facture, avec le lien du marchand qui la paie.' },
    dashboard: { name: 'Tableau de bord', lead: 'Pour les marchands : caisse, paiements, bons et rapports.' },
    docs: {
      name: 'Référence de l’API',
      lead: 'Pour les développeurs : chaque point d’accès, avec des requêtes à essayer.',
    },
  },
}
