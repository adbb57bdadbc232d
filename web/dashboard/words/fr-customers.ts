import type { CustomerWords } from './en-customers.ts'
import { writeCount } from './write-count.ts'

/** The customers of the shop. */
export const frOfCustomers: CustomerWords = {
  heading: 'Clients',
  lead: (count) => (count < 2 ? `${writeCount(count)} client` : `${writeCount(count)} clients`),
  caption: 'Clients, les plus récents d’abord',
  search: 'Rechercher un client',
  searchHint: 'Une partie du nom ou de l’adresse e-mail.',
  name: 'Nom',
  email: 'E-mail',
  added: 'Ajouté le',
  none: 'Aucun client pour l’instant',
  noneLead: 'Ajoutez-en un, importez un fichier, ou laissez votre logiciel les ajouter par l’API.',
  noneFound: 'Aucun résultat',
  noneFoundLead: 'Vérifiez l’orthographe, ou cherchez une partie plus courte.',
  add: 'Ajouter un client',
  edit: 'Modifier le client',
  save: 'Enregistrer le client',
  addDone: (name) => `${name} ajouté.`,
  saved: 'Client enregistré.',
  nameMissing: 'Saisissez un nom.',
  emailInvalid: 'Saisissez une adresse e-mail.',
  remove: 'Supprimer le client',
  removeLead:
    'Le nom et l’adresse sont supprimés. Paiements et bons restent\u00a0: ils font partie de votre comptabilité.',
  removed: (name) => `${name} supprimé.`,
  payments: 'Paiements',
  paymentsLead: 'Paiements depuis un portefeuille avec cette adresse.',
  noPayments: 'Aucun paiement depuis un portefeuille avec cette adresse.',
  allPayments: 'Tous les paiements',
  vouchers: 'Bons',
  vouchersCaption: 'Bons envoyés à cette adresse ou dans un portefeuille avec elle, les plus récents d’abord',
  noVouchers: 'Aucun bon envoyé à cette adresse.',
  allVouchers: 'Tous les bons',
  import: {
    open: 'Importer',
    heading: 'Importer des clients',
    lead: 'Le fichier est d’abord vérifié. Les adresses qu’un client possède déjà sont ignorées.',
    format: 'La première ligne doit nommer les colonnes\u00a0: email et name. 10\u202f000 lignes au plus.',
    file: 'Choisir un fichier',
    paste: 'Ou collez-le ici',
    missing: 'Choisissez un fichier, ou collez son contenu.',
    check: 'Vérifier le fichier',
    valid: (added, known) =>
      `${added < 2 ? `${writeCount(added)} nouveau client` : `${writeCount(added)} nouveaux clients`}. ${
        known === 0 ? 'Le fichier ne contient aucune erreur.' : `${writeCount(known)} déjà dans votre liste, ignorés.`
      }`,
    nothingNew: 'Toutes ces adresses sont déjà dans votre liste.',
    faults: (count) => (count < 2 ? '1 ligne à corriger\u00a0:' : `${writeCount(count)} lignes à corriger\u00a0:`),
    line: 'Ligne',
    reason: 'Erreur',
    reasons: {
      email_invalid: 'Ce n’est pas une adresse e-mail.',
      name_missing: 'Le nom manque.',
      name_too_long: 'Le nom dépasse 200 caractères.',
    },
    twice: (line) => `L’adresse est la même qu’à la ligne ${line}.`,
    act: (count) => (count < 2 ? 'Importer 1 client' : `Importer ${writeCount(count)} clients`),
    done: (added) => (added < 2 ? `${writeCount(added)} client importé.` : `${writeCount(added)} clients importés.`),
  },
  file: 'clients.csv',
}
