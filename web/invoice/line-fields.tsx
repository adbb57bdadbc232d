import { useEffect, useRef } from 'react'
import { formatMoney } from '../../server/src/base/money.ts'
import { type Line, readLine } from '../../server/src/invoice/lines.ts'
import { Amount, type Currency } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { readDecimal } from '../ui/decimal.ts'
import { Field } from '../ui/field.tsx'

export type TypedLine = {
  readonly id: string
  readonly description: string
  readonly quantity: string
  readonly unitPrice: string
  /** Added by its button, which left the focus behind. */
  readonly isNew?: boolean
}

export function emptyLine(): TypedLine {
  return { id: crypto.randomUUID(), description: '', quantity: '1', unitPrice: '' }
}

type Asked = { readonly description: string; readonly quantity: string; readonly unitPrice: string }
type Faults = { readonly description?: string; readonly quantity?: string; readonly unitPrice?: string }
export type Weighed = {
  readonly asked: Asked
  readonly read: Line | undefined
  readonly total: string
  readonly faults: Faults
}

/** What a line comes to, by the server's own rule. */
export function weigh(line: TypedLine, currency: { code: string; decimals: number }): Weighed {
  const asked = {
    description: line.description.trim(),
    quantity: readDecimal(line.quantity),
    unitPrice: readDecimal(line.unitPrice),
  }
  const unsaid = asked.description === '' ? { description: 'Please say what it is.' } : {}
  try {
    const read = readLine(asked, currency)
    const total = formatMoney({ minor: read.total, currency })
    return { asked, read: asked.description === '' ? undefined : read, total, faults: unsaid }
  } catch (error) {
    const details = error instanceof Error && 'details' in error ? (error.details as { param?: string }) : {}
    const fault =
      details.param === 'quantity'
        ? { quantity: 'A number above zero.' }
        : { unitPrice: `A price such as ${formatMoney({ minor: 10n ** BigInt(currency.decimals), currency })}.` }
    return { asked, read: undefined, total: '', faults: { ...unsaid, ...fault } }
  }
}

type LineFieldsProps = {
  readonly number: number
  readonly line: TypedLine
  readonly weighed: Weighed | undefined
  readonly currency: Currency
  readonly isChecked: boolean
  readonly onChange: (changed: Partial<TypedLine>) => void
  readonly onRemove?: () => void
}

export function LineFields({ number, line, weighed, currency, isChecked, onChange, onRemove }: LineFieldsProps) {
  const place = useRef<HTMLFieldSetElement>(null)
  const { isNew = false } = line
  useEffect(() => {
    if (isNew) place.current?.querySelector('input')?.focus()
  }, [isNew])
  const faults = isChecked ? weighed?.faults : undefined
  const say = (name: keyof Asked) => ({
    value: line[name],
    error: faults?.[name] ?? '',
    onChange: (event: { target: { value: string } }) => onChange({ [name]: event.target.value }),
  })
  const figures = { inputMode: 'decimal', autoComplete: 'off', maxLength: 60 } as const
  return (
    <fieldset className="invoice-line" ref={place}>
      <legend className="for-screen-readers">Line {number}</legend>
      <div className="invoice-line-what">
        <Field label="Description" autoComplete="off" maxLength={500} {...say('description')} />
      </div>
      <Field label="Quantity" {...figures} {...say('quantity')} />
      <Field label="Unit price" {...figures} {...say('unitPrice')} />
      <div className="invoice-line-end">
        <p className="invoice-line-total">
          <span className="invoice-line-label">Amount</span>
          {weighed === undefined || weighed.total === '' ? '–' : <Amount value={weighed.total} currency={currency} />}
        </p>
        {onRemove && (
          <Button kind="bare" aria-label={`Remove line ${number}`} onClick={onRemove}>
            Remove
          </Button>
        )}
      </div>
    </fieldset>
  )
}
