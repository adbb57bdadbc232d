import { ArrowLeftRight, Banknote, Bitcoin, type LucideIcon, Ticket, TicketPlus, Undo2 } from 'lucide-react'
import type { Move } from './request-wallet.ts'
import { words } from './words.ts'

export function nameOfMove({ kind, amount }: Pick<Move, 'kind' | 'amount'>): string {
  const names: Readonly<Record<string, string>> = words.moves
  // A chain reorganisation has reversed a confirmed deposit.
  const key = kind === 'deposited' && isOut({ amount }) ? 'undone' : kind
  return names[key] ?? kind
}

/** Whether the amount left the wallet. */
export function isOut({ amount }: Pick<Move, 'amount'>): boolean {
  return amount.startsWith('-')
}

type Tile = { readonly icon: LucideIcon; readonly ink: 'green' | 'amber' | 'none' }

/** Moves without another user or merchant have an icon. The others have a face. */
export const tiles: Readonly<Partial<Record<Move['kind'], Tile>>> = {
  redeemed: { icon: Ticket, ink: 'green' },
  bought: { icon: TicketPlus, ink: 'green' },
  exchanged: { icon: ArrowLeftRight, ink: 'none' },
  returned: { icon: Undo2, ink: 'none' },
  funded: { icon: Banknote, ink: 'green' },
  deposited: { icon: Bitcoin, ink: 'amber' },
}
