import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Voucher } from './ask-voucher.ts'
import { isSame, keep, letGo, toKept, useKeptVouchers } from './kept-vouchers.ts'

export function KeepVoucher({ voucher }: { readonly voucher: Voucher }) {
  const [isRefused, setIsRefused] = useState(false)
  const isKept = useKeptVouchers().some((other) => isSame(other, voucher))
  return (
    <section className="keep" aria-labelledby="keep-heading">
      <h2 id="keep-heading">{isKept ? 'Kept on this phone' : 'Keep it at hand'}</h2>
      <p className="soft" id="keep-hint">
        {isKept
          ? 'You find it under Other vouchers. Whoever has this phone unlocked could use it.'
          : 'This phone will remember the code. Whoever has it unlocked could use the voucher.'}
      </p>
      {isRefused && <Notice kind="error">This browser does not let us keep anything here.</Notice>}
      {isKept ? (
        <Button aria-describedby="keep-hint" onClick={() => letGo(voucher)}>
          Remove from this phone
        </Button>
      ) : (
        <Button aria-describedby="keep-hint" onClick={() => setIsRefused(!keep(toKept(voucher)))}>
          Keep on this phone
        </Button>
      )}
    </section>
  )
}
