import type { ReactNode } from 'react'
import type { Currency } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { type CheckedLine, emptyLine, type TypedLine } from './check-line.ts'
import { LineFields } from './line-fields.tsx'
import { words } from './words.ts'

type LineListProps = {
  readonly lines: readonly TypedLine[]
  /** In the order of `lines`. */
  readonly checked: readonly CheckedLine[]
  readonly currency: Currency
  readonly showsErrors: boolean
  readonly onLines: (lines: readonly TypedLine[]) => void
}

const linesMax = 100

export function LineList({ lines, checked, currency, showsErrors, onLines }: LineListProps): ReactNode {
  const change = (id: string, changed: Partial<TypedLine>) =>
    onLines(lines.map((line) => (line.id === id ? { ...line, ...changed } : line)))
  const add = () => onLines([...lines, { ...emptyLine(), isNew: true }])
  const remove = (id: string) => onLines(lines.filter((line) => line.id !== id))
  return (
    <section aria-labelledby="lines-heading" className="invoice-lines">
      <h2 id="lines-heading">{words.form.lines}</h2>
      {lines.map((line, i) => (
        <LineFields
          key={line.id}
          number={i + 1}
          line={line}
          checked={checked[i]}
          currency={currency}
          showsErrors={showsErrors}
          onChange={(changed) => change(line.id, changed)}
          {...(lines.length > 1 && { onRemove: () => remove(line.id) })}
        />
      ))}
      {lines.length < linesMax && <Button onClick={add}>{words.form.addLine}</Button>}
    </section>
  )
}
