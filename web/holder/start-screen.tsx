import type { ReactNode } from 'react'
import { CodeForm } from './code-form.tsx'
import { InstallHint } from './install-hint.tsx'
import { SavedList } from './saved-list.tsx'
import { useSavedVouchers } from './saved-vouchers.ts'
import { HolderFrame } from './holder-frame.tsx'
import { writeFragment } from '../ui/voucher-address.ts'
import { words } from './words.ts'

export function StartScreen(): ReactNode {
  const saved = useSavedVouchers()
  return (
    <HolderFrame status="">
      <div className="start">
        <CodeForm
          heading={words.start.heading}
          lead={words.start.lead}
          onCode={(address) => {
            location.hash = writeFragment(address)
          }}
        />
        <div className="start-saved">
          <SavedList />
          {saved.length > 0 && <InstallHint opens={words.install.opensSaved} />}
        </div>
      </div>
    </HolderFrame>
  )
}
