import type { ReactNode } from 'react'
import { PageFrame } from '../ui/page-frame.tsx'

type HolderFrameProps = {
  readonly isTest: boolean
  readonly status: string
  readonly wayBack?: ReactNode
  readonly issued?: string
  readonly children: ReactNode
}

const careful = 'Whoever has the code can use the voucher. Show it only to someone you would hand it to.'

export function HolderFrame({ issued = '', ...rest }: HolderFrameProps) {
  return <PageFrame name="Voucher" footer={issued === '' ? [careful] : [careful, issued]} {...rest} />
}
