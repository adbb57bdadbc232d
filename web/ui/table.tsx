import type { ReactNode } from 'react'
import './table.css'

export type Column<Row> = {
  readonly name: string
  /**
   * amount: aligned right. head: names the row. sum: an amount that stands beside the head on a phone. second: stands below
   * the sum on a phone. status: on a phone only if it is not quiet. act: buttons, without a visible column name. extra: shown on wide screens only.
   */
  readonly kind?: 'text' | 'amount' | 'head' | 'sum' | 'second' | 'status' | 'act' | 'extra'
  readonly cell: (row: Row) => ReactNode
}

/** Rows under a heading, such as those of a day. */
type RowGroup<Row> = {
  readonly key: string
  readonly heading: ReactNode
  readonly note?: ReactNode
  readonly rows: readonly Row[]
}

type TableProps<Row> = {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  readonly isSelected?: (row: Row) => boolean
} & ({ readonly rows: readonly Row[] } | { readonly groups: readonly RowGroup<Row>[] })

/** A dense table with a sticky head. On a phone a row has two lines; the roles keep it a table for screen readers. */
export function Table<Row>(props: TableProps<Row>): ReactNode {
  const { caption, columns } = props
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
        {'groups' in props ? (
          props.groups.map((group) => (
            <tbody key={group.key} role="rowgroup">
              <tr className="table-group" role="row">
                <th colSpan={columns.length} scope="rowgroup" role="rowheader">
                  {group.note !== undefined && <span className="table-group-note">{group.note}</span>}
                  {group.heading}
                </th>
              </tr>
              <Rows {...props} rows={group.rows} />
            </tbody>
          ))
        ) : (
          <tbody role="rowgroup">
            <Rows {...props} rows={props.rows} />
          </tbody>
        )}
      </table>
    </div>
  )
}

type RowsProps<Row> = Pick<TableProps<Row>, 'columns' | 'keyOf' | 'isSelected'> & { readonly rows: readonly Row[] }

function Rows<Row>({ columns, rows, keyOf, isSelected }: RowsProps<Row>) {
  return rows.map((row) => (
    <tr key={keyOf(row)} role="row" data-selected={isSelected?.(row) || undefined}>
      {columns.map((column) => (
        <Cell key={column.name} column={column} row={row} />
      ))}
    </tr>
  ))
}

type CellProps<Row> = { readonly column: Column<Row>; readonly row: Row }

function Cell<Row>({ column: { name, kind = 'text', cell }, row }: CellProps<Row>) {
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

type WhatProps = { readonly icon?: ReactNode; readonly title: ReactNode; readonly second?: ReactNode }

/** The head of a row: an icon, a name and a second line. */
export function TableWhat({ icon, title, second }: WhatProps): ReactNode {
  return (
    <span className="table-what">
      {icon}
      <span>
        {title}
        {second}
      </span>
    </span>
  )
}
