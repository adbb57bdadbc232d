import { type ReactNode, useEffect, useRef } from 'react'
import { taxesMax, taxNameMax } from '../../server/src/billing/invoice/limits.ts'
import { Amount, type Currency } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { type CheckedTax, emptyTax, type TypedTax } from './check-tax.ts'
import type { DraftTax } from './request-invoice.ts'
import { words } from './words.ts'

type TaxListProps = {
  readonly taxes: readonly TypedTax[]
  /** In the order of `taxes`. */
  readonly checked: readonly CheckedTax[]
  readonly currency: Currency
  readonly showsErrors: boolean
  readonly onTaxes: (taxes: readonly TypedTax[]) => void
}

export function TaxList({ taxes, checked, currency, showsErrors, onTaxes }: TaxListProps): ReactNode {
  const adder = useRef<HTMLDivElement>(null)
  const change = (id: string, changed: Partial<DraftTax>) =>
    onTaxes(taxes.map((tax) => (tax.id === id ? { ...tax, ...changed } : tax)))
  const remove = (id: string) => {
    onTaxes(taxes.filter((tax) => tax.id !== id))
    // The button that was pressed goes away with its tax.
    adder.current?.querySelector('button')?.focus()
  }
  return (
    <section aria-labelledby="taxes-heading" className="invoice-lines">
      <h2 id="taxes-heading">{words.form.taxes}</h2>
      <p className="field-hint">{words.form.taxesHint}</p>
      {taxes.map((tax, i) => (
        <TaxFields
          key={tax.id}
          number={i + 1}
          tax={tax}
          checked={checked[i]}
          currency={currency}
          showsErrors={showsErrors}
          onChange={(changed) => change(tax.id, changed)}
          onRemove={() => remove(tax.id)}
        />
      ))}
      <div ref={adder}>
        <Button aria-disabled={taxes.length >= taxesMax} onClick={() => addTo(taxes, onTaxes)}>
          {words.form.addTax}
        </Button>
      </div>
    </section>
  )
}

function addTo(taxes: readonly TypedTax[], onTaxes: TaxListProps['onTaxes']): void {
  if (taxes.length < taxesMax) onTaxes([...taxes, emptyTax()])
}

type TaxFieldsProps = Pick<TaxListProps, 'currency' | 'showsErrors'> & {
  readonly number: number
  readonly tax: TypedTax
  readonly checked: CheckedTax | undefined
  readonly onChange: (changed: Partial<DraftTax>) => void
  readonly onRemove: () => void
}

function TaxFields({ number, tax, checked, currency, showsErrors, onChange, onRemove }: TaxFieldsProps) {
  const fieldset = useRef<HTMLFieldSetElement>(null)
  // A tax is added with the button: its first field takes the focus.
  useEffect(() => fieldset.current?.querySelector('input')?.focus(), [])
  const bind = (name: keyof DraftTax) => ({
    value: tax[name],
    error: (showsErrors ? checked?.errors[name] : undefined) ?? '',
    onChange: (event: { target: { value: string } }) => onChange({ [name]: event.target.value }),
  })
  const amount = checked?.amount ?? ''
  return (
    <fieldset className="invoice-line" data-kind="tax" ref={fieldset}>
      <legend className="for-screen-readers">{words.tax.number(number)}</legend>
      <Field label={words.tax.name} autoComplete="off" maxLength={taxNameMax} {...bind('name')} />
      <Field label={words.tax.rate} inputMode="decimal" autoComplete="off" maxLength={20} {...bind('rate')} />
      <div className="invoice-line-end">
        <p className="invoice-line-total">
          <span className="invoice-line-label">{words.line.amount}</span>
          {amount === '' ? '–' : <Amount value={amount} currency={currency} />}
        </p>
        <Button kind="bare" aria-label={words.tax.removeNumber(number)} onClick={onRemove}>
          {words.line.remove}
        </Button>
      </div>
    </fieldset>
  )
}
