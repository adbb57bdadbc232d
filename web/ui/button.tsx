import type { ButtonHTMLAttributes } from 'react'
import './button.css'

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'style'> & {
  /** One main act in a view; quiet ones have an outline; bare ones are words in a row. */
  readonly kind?: 'main' | 'quiet' | 'bare'
}

export function Button({ kind = 'quiet', type = 'button', ...rest }: ButtonProps) {
  return <button className="button" data-kind={kind} type={type} {...rest} />
}
