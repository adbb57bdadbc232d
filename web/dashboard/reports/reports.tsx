import type { ReactNode } from 'react'
import { Empty } from '../../ui/empty.tsx'
import { Screen } from '../shell/frame.tsx'
import { type Address, Link, useSearchParams } from '../shell/place.ts'
import { useLocation } from 'wouter'
import { reporting } from '../words/reporting.ts'
import { words } from '../words/words.ts'
import '../../ui/tabs.css'
import { ExportReport } from './export.tsx'
import { Fees } from './fees.tsx'
import { LiabilityReport } from './liability.tsx'
import { PeriodChoice, toQuery, usePeriod } from './period.tsx'
import './reports.css'
import { StatementReport } from './statement.tsx'

const tabs = [
  ['liability', '/reports'],
  ['statement', '/reports/statement'],
  ['fees', '/reports/fees'],
  ['export', '/reports/export'],
] as const satisfies readonly (readonly [string, Address])[]
type Tab = (typeof tabs)[number][0]

/** Liability, statement, fees and the accountant's export of a period, which is in the address. */
export function Reports(): ReactNode {
  const [path] = useLocation()
  const tab = tabs.find(([, address]) => address === path)?.[0]
  const period = usePeriod()
  if (tab === undefined)
    return (
      <Screen heading={reporting.heading}>
        <Empty heading={words.notHere} lead={words.notHereLead} />
      </Screen>
    )
  return (
    <Screen heading={reporting.heading}>
      <section className="filters" aria-label={reporting.period}>
        <TabLinks shown={tab} />
        <PeriodChoice period={period} path={path as Address} />
      </section>
      {tab === 'liability' && <LiabilityReport period={period} />}
      {tab === 'statement' && <StatementReport period={period} />}
      {tab === 'fees' && <Fees period={period} />}
      {tab === 'export' && <ExportReport period={period} />}
    </Screen>
  )
}

function TabLinks({ shown }: { readonly shown: Tab }) {
  const query = useSearchParams()
  const [from, until] = [query.get('from') ?? '', query.get('until') ?? '']
  const kept = from === '' || until === '' ? '' : (`?${toQuery({ from, until })}` as const)
  return (
    <nav className="tabs" aria-label={reporting.heading}>
      {tabs.map(([name, address]) => (
        <Link key={name} to={`${address}${kept}`} aria-current={name === shown ? 'page' : undefined}>
          {reporting.tabs[name]}
        </Link>
      ))}
    </nav>
  )
}
