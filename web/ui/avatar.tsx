import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import './avatar.css'

type AvatarSize = 's' | 'm' | 'l'

const inks = ['green', 'indigo', 'plum', 'clay', 'blue', 'amber'] as const

type AvatarProps = {
  readonly name: string
  /** A logo. Default: the initials. */
  readonly picture?: string
  readonly shape?: 'round' | 'square'
  readonly size?: AvatarSize
}

/** The face of a person or a shop: a logo, or initials in a colour that always belongs to the name. */
export function Avatar({ name, picture = '', shape = 'round', size = 'm' }: AvatarProps): ReactNode {
  return (
    <span className="avatar" data-ink={inkOf(name)} data-shape={shape} data-size={size} aria-hidden="true">
      {picture === '' ? initialsOf(name) : <img src={picture} alt="" />}
    </span>
  )
}

type IconTileProps = {
  readonly icon: LucideIcon
  readonly ink?: (typeof inks)[number] | 'red' | 'none'
  readonly shape?: 'round' | 'square'
  readonly size?: AvatarSize
}

/** An icon where a list has avatars. */
export function IconTile({ icon: Icon, ink = 'none', shape = 'round', size = 'm' }: IconTileProps): ReactNode {
  return (
    <span className="avatar" data-ink={ink} data-shape={shape} data-size={size} aria-hidden="true">
      <Icon />
    </span>
  )
}

const segmenter = new Intl.Segmenter()

/** The first letters of the first and the last word: "Corner Books and Toys" is CT. */
export function initialsOf(name: string): string {
  const parts = name.replace(/^@/, '').split(/[\s._-]+/)
  const words = parts.filter((part) => /[\p{L}\p{N}]/u.test(part))
  const [first = '', ...others] = words
  return `${firstLetterOf(first)}${firstLetterOf(others.at(-1) ?? '')}`.toUpperCase()
}

function firstLetterOf(word: string): string {
  const [letter] = segmenter.segment(word)
  return letter?.segment ?? ''
}

function inkOf(name: string): (typeof inks)[number] {
  let sum = 0
  for (let place = 0; place < name.length; place++) sum += name.charCodeAt(place)
  return inks[sum % inks.length] ?? 'green'
}
