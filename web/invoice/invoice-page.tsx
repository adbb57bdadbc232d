import { useEffect, useState } from 'react'
import { PageFrame, PageHeading } from '../ui/page-frame.tsx'
import { Sheet } from '../ui/sheet.tsx'
import type { Address, Mode } from './ask-invoice.ts'
import { FollowInvoice } from './follow-invoice.tsx'
import { NewInvoice } from './new-invoice.tsx'

type Place = { readonly token: string } | { readonly address: Address } | null

/**
 * Two links of one page: the public one names a merchant, `?to=CODE`, and submits an invoice to it; the private one has a token in
 * its fragment, which no browser sends anywhere, and follows an invoice.
 */
export function InvoicePage() {
  const [place, setPlace] = useState(readPlace)
  const [mode, setMode] = useState<Mode>('live')
  const [status, setStatus] = useState('')

  useEffect(() => {
    const follow = () => setPlace(readPlace())
    addEventListener('popstate', follow)
    addEventListener('hashchange', follow)
    return () => {
      removeEventListener('popstate', follow)
      removeEventListener('hashchange', follow)
    }
  }, [])

  return (
    <PageFrame name="Invoice" isTest={mode === 'test'} status={status}>
      {place === null && (
        <Sheet>
          <PageHeading>Whom is it for?</PageHeading>
          <p>This link names nobody. Ask whoever you invoice for the link to their own page.</p>
        </Sheet>
      )}
      {place !== null && 'token' in place && (
        <FollowInvoice key={place.token} token={place.token} onMode={setMode} onStatus={setStatus} />
      )}
      {place !== null && 'address' in place && (
        <NewInvoice
          address={place.address}
          onMode={setMode}
          onDone={(token) => {
            // The way back leads to an empty form.
            history.pushState(null, '', `${location.pathname}#${token}`)
            setPlace({ token })
          }}
        />
      )}
    </PageFrame>
  )
}

function readPlace(): Place {
  const token = location.hash.slice(1)
  if (token !== '') return { token }
  const asked = new URLSearchParams(location.search)
  const merchantCode = asked.get('to') ?? ''
  if (merchantCode === '') return null
  return { address: { merchantCode, mode: asked.get('mode') === 'test' ? 'test' : 'live' } }
}
