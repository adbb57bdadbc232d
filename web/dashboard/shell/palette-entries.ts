import {
  BanknoteArrowUp,
  FileSpreadsheet,
  FileUp,
  FlaskConical,
  HandCoins,
  KeyRound,
  Layers,
  type LucideIcon,
  MapPin,
  Paintbrush,
  Plus,
  ScanQrCode,
  Settings,
  ShoppingBag,
  Undo2,
  Users,
  Webhook,
} from 'lucide-react'
import { palette } from '../words/palette.ts'
import { words } from '../words/words.ts'
import { iconOf, pathOf } from './frame.tsx'
import { type Address, enter, go, place } from './place.ts'
import type { Merchant, Role } from './responses.ts'
import { screensFor } from './shop.tsx'

/** What can be chosen in the command palette. */
export type Entry = {
  readonly id: string
  readonly icon: LucideIcon
  readonly label: string
  readonly detail: string
  readonly choose: () => void
}

/** An entry that leads to a screen. */
export function goTo(id: string, icon: LucideIcon, label: string, to: Address, detail = ''): Entry {
  return { id, icon, label, detail, choose: () => go(to) }
}

/** The screens of a role whose name contains the text. */
export function listScreens(role: Role, text: string): Entry[] {
  const { screens } = palette
  const settings = [
    goTo('screen-brand', Paintbrush, screens.brand, '/settings/brand'),
    goTo('screen-locations', MapPin, screens.locations, '/settings/locations'),
  ]
  return [
    ...screensFor(role).map((name) => goTo(`screen-${name}`, iconOf(name), words.nav[name], pathOf(name))),
    ...(role === 'owner' ? settings : []),
    goTo('screen-account', Settings, screens.account, '/account'),
  ].filter(contains(text))
}

type Act = {
  readonly name: Exclude<keyof typeof palette.acts, 'test' | 'live'>
  readonly icon: LucideIcon
  readonly to: Address
  /** The roles that may do it besides the owner. The server decides. */
  readonly roles: readonly Exclude<Role, 'owner'>[]
}

const acts: readonly Act[] = [
  { name: 'charge', icon: ScanQrCode, to: '/till', roles: ['cashier'] },
  { name: 'sell', icon: ShoppingBag, to: '/sell', roles: ['cashier', 'accountant'] },
  { name: 'issue', icon: Plus, to: '/vouchers/issue', roles: ['accountant'] },
  { name: 'many', icon: Layers, to: '/vouchers/issue-many', roles: ['accountant'] },
  { name: 'import', icon: FileUp, to: '/vouchers/import', roles: ['accountant'] },
  // A refund begins with its payment.
  { name: 'refund', icon: Undo2, to: '/payments?status=COMPLETED', roles: ['accountant'] },
  { name: 'request', icon: HandCoins, to: '/requests/new', roles: ['cashier'] },
  { name: 'payout', icon: BanknoteArrowUp, to: '/payouts/new', roles: ['accountant'] },
  { name: 'payFile', icon: FileSpreadsheet, to: '/payouts/pay-file', roles: ['accountant'] },
  { name: 'importCustomers', icon: FileUp, to: '/customers/import', roles: ['accountant'] },
  { name: 'cashier', icon: Users, to: '/till/switch', roles: ['cashier'] },
  { name: 'key', icon: KeyRound, to: '/developers/keys?create', roles: ['developer'] },
  { name: 'endpoint', icon: Webhook, to: '/developers/webhooks?create', roles: ['developer'] },
  { name: 'testVoucher', icon: FlaskConical, to: '/developers/sandbox', roles: ['developer'] },
]

/** The acts of a role whose name contains the text. */
export function listActs({ role, code }: Pick<Merchant, 'role' | 'code'>, text: string): Entry[] {
  const mode = place?.mode ?? 'live'
  const other = mode === 'live' ? 'test' : 'live'
  const toOtherMode: Entry = {
    ...{ id: `act-${other}`, icon: FlaskConical, label: palette.acts[other], detail: '' },
    choose: () => enter({ code, mode: other }),
  }
  const own = acts.filter(
    ({ name, roles }) => (role === 'owner' || roles.includes(role)) && (name !== 'testVoucher' || mode === 'test'),
  )
  return [...own.map(({ name, icon, to }) => goTo(`act-${name}`, icon, palette.acts[name], to)), toOtherMode].filter(
    contains(text),
  )
}

/** Whether the label of an entry contains every word of the text, without regard to case and accents. */
function contains(text: string): (entry: Entry) => boolean {
  const wanted = fold(text).split(/\s+/)
  return ({ label }) => wanted.every((word) => fold(label).includes(word))
}

function fold(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
    .trim()
}
