import type { SecondFactorWords } from './en-second-factor.ts'

export const frOfSecondFactor: SecondFactorWords = {
  secondFactor: {
    heading: 'Connexion en deux étapes',
    required:
      'Les propriétaires de boutiques en mode réel et les opérateurs se connectent avec un code à usage unique en plus de leur mot de passe. Configurez-le maintenant pour continuer.',
    needed:
      'Il vous faut une application d’authentification sur votre téléphone, comme Google Authenticator ou Microsoft Authenticator. Installez-en une si vous n’en avez pas.',
    isOn: 'Activée. Vous vous connectez avec un code à usage unique de votre application d’authentification.',
    isOff:
      'Désactivée. Avec une application d’authentification, un mot de passe volé ne suffit pas à ouvrir votre compte.',
    start: 'Configurer l’application d’authentification',
    password: 'Votre mot de passe',
    scan: 'Ajoutez un compte dans l’application et scannez ce code, ou saisissez la clé à la main.',
    qr: 'Clé pour votre application d’authentification',
    key: 'Clé',
    code: 'Code à usage unique',
    codeHint: '6 chiffres, tels que votre application les affiche maintenant.',
    confirm: 'Confirmer le code',
    recovery: 'Codes de récupération',
    recoveryLead:
      'Chacun vous connecte une fois si vous perdez votre téléphone. Imprimez-les ou conservez-les en lieu sûr\u00a0: ils ne seront plus affichés.',
    saved: 'J’ai enregistré les codes',
  },
}
