import { Search } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Field } from '../ui/field.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { ActivityList, activityPath } from './activity-list.tsx'
import { fitsSearch, mergeEntries, useUnpaid } from './entries.ts'
import { Screen } from './frame.tsx'
import { useKnown } from './known.ts'
import { Loaded } from './parts.tsx'
import { type Moves, read } from './request-wallet.ts'
import { go, useSearchParams } from './route.ts'
import { words } from './words.ts'

const waitMs = 350

/** Everything that happened in the wallet, with a search. The search is in the address, so that "Back" returns to it. */
export function Activity(): ReactNode {
  const search = useSearchParams().get('search') ?? ''
  const [typed, setTyped] = useState(search)
  useEffect(() => {
    if (typed.trim() === search) return
    const timer = setTimeout(() => {
      const wanted = typed.trim()
      go(wanted === '' ? '/activity' : `/activity?search=${encodeURIComponent(wanted)}`, 'replace')
    }, waitMs)
    return () => clearTimeout(timer)
  }, [typed, search])
  return (
    <Screen heading={words.activity.heading}>
      <Field
        label={words.activity.search}
        hint={words.activity.searchHint}
        lead={<Search aria-hidden="true" />}
        type="search"
        maxLength={100}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Found key={search} search={search} />
    </Screen>
  )
}

function Found({ search }: { readonly search: string }) {
  const query = search === '' ? '' : `&search=${encodeURIComponent(search)}`
  const newest = useKnown<Moves>(activityPath + query)
  const [older, setOlder] = useState<Moves | null>(null)
  const [isLoading, setIsLoading] = useState(false)
  const unpaid = useUnpaid()
  const cursor = (older ?? newest.data)?.nextCursor ?? ''
  const loadMore = () => {
    setIsLoading(true)
    void read<Moves>(`${activityPath}${query}&cursor=${cursor}`).then((answer) => {
      setIsLoading(false)
      if ('data' in answer) setOlder({ ...answer.data, moves: [...(older?.moves ?? []), ...answer.data.moves] })
    })
  }
  return (
    <Loaded known={newest} placeholder={<SkeletonRows />}>
      {({ moves }) => {
        const all = [...moves, ...(older?.moves ?? [])]
        const fitting = search === '' ? unpaid : unpaid.filter((each) => fitsSearch(each, search))
        const entries = mergeEntries(all, fitting, cursor === '')
        return (
          <>
            {entries.length > 0 ? <ActivityList entries={entries} /> : <None search={search} isOver={cursor === ''} />}
            {cursor !== '' && (
              <Button aria-disabled={isLoading} onClick={() => isLoading || loadMore()}>
                {isLoading ? words.oneMoment : search === '' ? words.activity.more : words.activity.searchOlder}
              </Button>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

type NoneProps = { readonly search: string; readonly isOver: boolean }

/** A page of a search may be empty although older moves would fit. */
function None({ search, isOver }: NoneProps) {
  if (search === '') return <Empty heading={words.activity.none} lead={words.home.noActivity} />
  if (!isOver) return <p className="soft">{words.activity.noneRecently}</p>
  return <Empty icon={Search} heading={words.activity.noneFound} lead={words.activity.noneFoundLead} />
}
