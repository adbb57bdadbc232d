import type { ReactNode } from 'react'
import './table.css'

export type Column<Row> = {
  readonly name: string
  /**
   * amount: aligned right. head: names the row. sum: an amount that stands beside the head on a phone.
   * act: buttons, without a visible column name. extra: shown on wide screens only.
   */
  readonly kind?: 'text' | 'amount' | 'head' | 'sum' | 'act' | 'extra'
  readonly cell: (row: Row) => ReactNode
}

type TableProps<Row> = {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
}

/** A dense table. On a phone each row is a card; the roles keep it a table for screen readers. */
export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>): ReactNode {
  return (
    <div className="table-frame">
      <table className="table" role="table">
        <caption className="for-screen-readers">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ name, kind = 'text' }) => (
              <th key={name} scope="col" role="columnheader" data-kind={kind}>
                {kind === 'act' ? <span className="for-screen-readers">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map((column) => (
                <Cell key={column.name} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cell<Row>({
  column: { name, kind = 'text', cell },
  row,
}: {
  readonly column: Column<Row>
  readonly row: Row
}) {
  const shown = cell(row)
  const about = { 'data-kind': kind, 'data-name': name, 'data-empty': shown === '' || undefined }
  return kind === 'head' ? (
    <th scope="row" role="rowheader" {...about}>
      {shown}
    </th>
  ) : (
    <td role="cell" {...about}>
      {shown}
    </td>
  )
}
