import { FileUp, UserPlus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { type Column, Table, TableWhat } from '../../ui/table.tsx'
import { useOutcome } from '../../ui/use-outcome.tsx'
import '../parts/filters.css'
import { usePages } from '../parts/pages.tsx'
import { SaveButton } from '../parts/save-file.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Screen } from '../shell/frame.tsx'
import { Link } from '../shell/place.ts'
import type { Customer, Customers as CustomersPage } from '../shell/responses.ts'
import { Loaded, When } from '../shell/shop.tsx'
import { customerWords } from '../words/customer-words.ts'
import { describeError, words } from '../words/words.ts'
import { EditCustomer } from './edit-customer.tsx'

/** The people that the shop knows by name and address. */
export function Customers(): ReactNode {
  const pages = usePages<CustomersPage>(
    'customers',
    '/merchant/customers',
    ['search'],
    ({ customers }) => customers.length === 0,
  )
  const { known, filters, isFiltered, cursor } = pages
  const [isAdding, setIsAdding] = useState(false)
  const { tell, shown } = useOutcome(describeError)
  const add = () => setIsAdding(true)
  const finish = (name: string) => {
    setIsAdding(false)
    tell({ data: null }, customerWords.addDone(name))
  }
  const lead = known.data === null ? undefined : customerWords.lead(known.data.count)
  return (
    <Screen heading={customerWords.heading} lead={lead} acts={<Acts onAdd={add} />}>
      {shown}
      <section className="filters" aria-label={words.payments.filters}>
        <SearchField
          label={customerWords.search}
          hint={customerWords.searchHint}
          searched={filters.get('search') ?? ''}
          onSearch={(search, how) => pages.filter({ search }, how)}
        />
      </section>
      <Loaded known={known} placeholder={<SkeletonRows count={10} />}>
        {({ customers }) =>
          customers.length > 0 ? (
            <Table caption={customerWords.caption} columns={columns} rows={customers} keyOf={({ id }) => id} />
          ) : isFiltered || cursor !== '' ? (
            <Empty heading={customerWords.noneFound} lead={customerWords.noneFoundLead} />
          ) : (
            <Empty heading={customerWords.none} lead={customerWords.noneLead}>
              <Button onClick={add}>{customerWords.add}</Button>
            </Empty>
          )
        }
      </Loaded>
      {pages.pageLinks}
      {isAdding && <EditCustomer customer={undefined} onDone={finish} onClose={() => setIsAdding(false)} />}
    </Screen>
  )
}

function Acts({ onAdd }: { readonly onAdd: () => void }) {
  return (
    <>
      <Button kind="main" onClick={onAdd}>
        <UserPlus aria-hidden="true" />
        {customerWords.add}
      </Button>
      <Link className="button" data-kind="quiet" to="/customers/import">
        <FileUp aria-hidden="true" />
        {customerWords.import.open}
      </Link>
      <SaveButton path="/merchant/customers.csv" fileName={customerWords.file} label={words.exportCsv} />
    </>
  )
}

const columns: readonly Column<Customer>[] = [
  {
    name: customerWords.name,
    kind: 'head',
    cell: ({ id, name, email }) => (
      <TableWhat
        icon={<Avatar name={name} size="s" />}
        title={
          <Link className="cover-link" to={`/customers/${id}`}>
            {name}
          </Link>
        }
        second={
          <span className="table-second" title={email}>
            {email}
          </span>
        }
      />
    ),
  },
  { name: customerWords.added, kind: 'extra', cell: ({ createdAt }) => <When at={createdAt} form="day" /> },
]
