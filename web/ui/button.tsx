import type { ButtonHTMLAttributes, ReactNode } from 'react'
import './button.css'

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'style'> & {
  /**
   * main: at most one per screen. quiet: with an outline. tint: a shortcut inside a card. bare: text only.
   * danger: the last step of what cannot be undone. danger-quiet: opens that step.
   */
  readonly kind?: 'main' | 'quiet' | 'tint' | 'bare' | 'danger' | 'danger-quiet'
  readonly size?: 's' | 'm' | 'l' | 'xl'
  /** As wide as its container. */
  readonly isWide?: boolean
}

export function Button({
  kind = 'quiet',
  size = 'm',
  isWide = false,
  type = 'button',
  ...rest
}: ButtonProps): ReactNode {
  return (
    <button
      className="button"
      data-kind={kind}
      data-size={size}
      data-wide={isWide || undefined}
      type={type}
      {...rest}
    />
  )
}

type IconButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'style' | 'aria-label'> & {
  /** What the button does, for screen readers and as a tooltip. */
  readonly label: string
  readonly isBordered?: boolean
}

/** A button with an icon alone. */
export function IconButton({ label, isBordered = false, type = 'button', ...rest }: IconButtonProps): ReactNode {
  return (
    <button
      className="icon-button"
      data-bordered={isBordered || undefined}
      type={type}
      aria-label={label}
      title={label}
      {...rest}
    />
  )
}
