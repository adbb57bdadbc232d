import { useSyncExternalStore, type ReactNode } from 'react'
import { StartScreen } from './start-screen.tsx'
import { readFragment } from '../ui/voucher-address.ts'
import { VoucherScreen } from './voucher-screen.tsx'

/** The page of a voucher holder. The code is in the URL fragment, which browsers do not send to the server. */
export function HolderPage(): ReactNode {
  const fragment = useSyncExternalStore(onFragmentChange, () => location.hash)
  const address = readFragment(fragment)
  // The key discards the state of the previous voucher, above all its PIN.
  return address === null ? <StartScreen /> : <VoucherScreen key={fragment} address={address} />
}

function onFragmentChange(listener: () => void): () => void {
  addEventListener('hashchange', listener)
  return () => removeEventListener('hashchange', listener)
}
