import { useSyncExternalStore } from 'react'
import { StartScreen } from './start-screen.tsx'
import { readFragment } from '../ui/voucher-address.ts'
import { VoucherScreen } from './voucher-screen.tsx'

/** The page of whoever holds a voucher. The code is in the fragment of its address, which no browser sends anywhere. */
export function HolderPage() {
  const fragment = useSyncExternalStore(onFragmentChange, () => location.hash)
  const address = readFragment(fragment)
  // Another code is another voucher: the key makes sure that nothing of the one before is left, least of all its pin.
  return address === null ? <StartScreen /> : <VoucherScreen key={fragment} address={address} />
}

function onFragmentChange(listener: () => void): () => void {
  addEventListener('hashchange', listener)
  return () => removeEventListener('hashchange', listener)
}
