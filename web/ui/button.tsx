import type { ButtonHTMLAttributes, ReactNode } from 'react'
import './button.css'

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'style'> & {
  /** main: at most one per screen. quiet: with an outline. bare: text only. */
  readonly kind?: 'main' | 'quiet' | 'bare'
}

export function Button({ kind = 'quiet', type = 'button', ...rest }: ButtonProps): ReactNode {
  return <button className="button" data-kind={kind} type={type} {...rest} />
}
