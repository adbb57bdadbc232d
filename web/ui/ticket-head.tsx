import type { CSSProperties, ReactNode } from 'react'
import { accentInk, onAccent, parseAccent } from '../../server/src/base/accent.ts'
import './ticket-head.css'

/** The colours of a shop: the fill with the text on it, and the ink on white and on black sheets. */
export type TicketColours = {
  readonly fill: string
  readonly onFill: string
  readonly inkOnLight: string
  readonly inkOnDark: string
}

/** The colours of a shop by its accent. Undefined if it has none. */
export function coloursOf(accent: string): TicketColours | undefined {
  const colour = parseAccent(accent)
  if (colour === undefined) return undefined
  const { fill, ink: onFill } = onAccent(colour)
  return { fill, onFill, inkOnLight: accentInk(colour, 'light'), inkOnDark: accentInk(colour, 'dark') }
}

/** Custom properties of a ticket in the colours of a shop. Without colours, the ticket is green. */
export function ticketStyle(colours: TicketColours | undefined): CSSProperties | undefined {
  if (colours === undefined) return undefined
  return {
    '--ticket-fill': colours.fill,
    '--on-ticket': colours.onFill,
    '--ticket-ink': `light-dark(${colours.inkOnLight}, ${colours.inkOnDark})`,
  } as CSSProperties
}

type TicketHeadProps = {
  /** The shop. */
  readonly title: ReactNode
  /** What the ticket is, in small capitals. */
  readonly label: string
  readonly logo?: string
  /** Where there is no logo: the initials of the shop, or an icon. */
  readonly mark?: ReactNode
  readonly end?: ReactNode
}

export function TicketHead({ title, label, logo = '', mark, end }: TicketHeadProps): ReactNode {
  return (
    <div className="ticket-head">
      {(logo !== '' || mark !== undefined) && (
        <span className="ticket-head-logo" aria-hidden="true">
          {logo === '' ? mark : <img src={logo} alt="" />}
        </span>
      )}
      <div className="ticket-head-text">
        {title}
        <p className="ticket-head-label">{label}</p>
      </div>
      {end !== undefined && <div className="ticket-head-end">{end}</div>}
    </div>
  )
}
