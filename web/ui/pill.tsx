import { ArrowDown, ArrowUp, Check, CircleDashed, Clock, Equal, Loader, type LucideIcon, X } from 'lucide-react'
import type { ReactNode } from 'react'
import './pill.css'

/** busy: something is in progress. over: neither good nor bad, and done with. */
export type Tone = 'good' | 'wait' | 'bad' | 'busy' | 'over'

const icons: Readonly<Record<Tone, LucideIcon>> = {
  good: Check,
  wait: Clock,
  bad: X,
  busy: Loader,
  over: CircleDashed,
}

type PillProps = {
  readonly tone?: Tone
  /** Default: the icon of the tone. */
  readonly icon?: LucideIcon
  /** Whether the text may need several lines. */
  readonly isLong?: boolean
  readonly children: ReactNode
}

/** A status. */
export function Pill({ tone = 'over', icon, isLong = false, children }: PillProps): ReactNode {
  const Icon = icon ?? icons[tone]
  return (
    <span className="pill" data-tone={tone} data-long={isLong || undefined}>
      <Icon aria-hidden="true" />
      {children}
    </span>
  )
}

type CountProps = { readonly tone?: 'plain' | 'wait' | 'bad'; readonly children: ReactNode }

/** How many entries are behind a tab, a heading or a link. */
export function Count({ tone = 'plain', children }: CountProps): ReactNode {
  return (
    <span className="count" data-tone={tone}>
      {children}
    </span>
  )
}

type DeltaProps = {
  readonly change: 'up' | 'down' | 'none'
  /** Whether a rise is good news. */
  readonly isRiseGood?: boolean
  /** Whether the change is neither good nor bad. */
  readonly isNeutral?: boolean
  readonly children: ReactNode
}

const deltaIcons = { up: ArrowUp, down: ArrowDown, none: Equal }

/** A change against an earlier period. */
export function Delta({ change, isRiseGood = true, isNeutral = false, children }: DeltaProps): ReactNode {
  const Icon = deltaIcons[change]
  const tone = change === 'none' || isNeutral ? 'plain' : (change === 'up') === isRiseGood ? 'good' : 'bad'
  return (
    <span className="delta" data-tone={tone}>
      <Icon aria-hidden="true" />
      {children}
    </span>
  )
}
