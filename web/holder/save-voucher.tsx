import { Smartphone } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { PhoneOption } from './phone-option.tsx'
import type { Voucher } from './request-voucher.ts'
import { isSameVoucher, removeVoucher, saveVoucher, toSaved, useSavedVouchers } from './saved-vouchers.ts'
import { words } from './words.ts'

export function SaveVoucher({ voucher }: { readonly voucher: Voucher }): ReactNode {
  const [isRefused, setIsRefused] = useState(false)
  const isSaved = useSavedVouchers().some((other) => isSameVoucher(other, voucher))
  return (
    <PhoneOption
      icon={Smartphone}
      heading={isSaved ? words.save.savedHeading : words.save.heading}
      lead={isSaved ? words.save.savedHint : words.save.hint}
      leadId="save-hint"
    >
      {isRefused && <Notice kind="error">{words.save.refused}</Notice>}
      {isSaved ? (
        <Button aria-describedby="save-hint" onClick={() => removeVoucher(voucher)}>
          {words.save.remove}
        </Button>
      ) : (
        <Button aria-describedby="save-hint" onClick={() => setIsRefused(!saveVoucher(toSaved(voucher)))}>
          {words.save.act}
        </Button>
      )}
    </PhoneOption>
  )
}
