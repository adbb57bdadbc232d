import { useEffect, useRef, type ReactNode } from 'react'
import { Amount, type Currency } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import type { CheckedLine, TypedLine } from './check-line.ts'
import type { DraftItem } from './request-invoice.ts'
import { words } from './words.ts'

type LineFieldsProps = {
  readonly number: number
  readonly line: TypedLine
  readonly checked: CheckedLine | undefined
  readonly currency: Currency
  readonly showsErrors: boolean
  readonly onChange: (changed: Partial<TypedLine>) => void
  /** Missing if the line is the only one. */
  readonly onRemove?: () => void
}

export function LineFields(props: LineFieldsProps): ReactNode {
  const { number, line, checked, currency, showsErrors, onChange, onRemove } = props
  const fieldset = useRef<HTMLFieldSetElement>(null)
  const { isNew = false } = line
  useEffect(() => {
    if (isNew) fieldset.current?.querySelector('input')?.focus()
  }, [isNew])
  const errors = showsErrors ? checked?.errors : undefined
  const bind = (name: keyof DraftItem) => ({
    value: line[name],
    error: errors?.[name] ?? '',
    onChange: (event: { target: { value: string } }) => onChange({ [name]: event.target.value }),
  })
  const decimal = { inputMode: 'decimal', autoComplete: 'off', maxLength: 60 } as const
  const total = checked?.total ?? ''
  return (
    <fieldset className="invoice-line" ref={fieldset}>
      <legend className="for-screen-readers">{words.line.number(number)}</legend>
      <div className="invoice-line-what">
        <Field label={words.line.description} autoComplete="off" maxLength={500} {...bind('description')} />
      </div>
      <Field label={words.line.quantity} {...decimal} {...bind('quantity')} />
      <Field label={words.line.unitPrice} {...decimal} {...bind('unitPrice')} />
      <div className="invoice-line-end">
        <p className="invoice-line-total">
          <span className="invoice-line-label">{words.line.amount}</span>
          {total === '' ? '–' : <Amount value={total} currency={currency} />}
        </p>
        {onRemove && (
          <Button kind="bare" aria-label={words.line.removeNumber(number)} onClick={onRemove}>
            {words.line.remove}
          </Button>
        )}
      </div>
    </fieldset>
  )
}
