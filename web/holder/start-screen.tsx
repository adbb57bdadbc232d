import { CodeForm } from './code-form.tsx'
import { InstallHint } from './install-hint.tsx'
import { KeptList } from './kept-list.tsx'
import { useKeptVouchers } from './kept-vouchers.ts'
import { HolderFrame } from './holder-frame.tsx'
import { writeFragment } from '../ui/voucher-address.ts'

export function StartScreen() {
  const kept = useKeptVouchers()
  return (
    <HolderFrame isTest={false} status="">
      <CodeForm
        heading="Look at a voucher"
        lead="See what is left on it and where you can use it."
        onCode={(address) => {
          location.hash = writeFragment(address)
        }}
      />
      <KeptList />
      {kept.length > 0 && <InstallHint opens="It opens the vouchers that you kept." />}
    </HolderFrame>
  )
}
