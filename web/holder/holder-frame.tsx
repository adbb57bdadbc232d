import type { ReactNode } from 'react'
import { PageFrame } from '../ui/page-frame.tsx'
import { words } from './words.ts'

type HolderFrameProps = {
  readonly isTest: boolean
  readonly status: string
  readonly wayBack?: ReactNode
  readonly issued?: string
  readonly children: ReactNode
}

export function HolderFrame({ issued = '', ...rest }: HolderFrameProps): ReactNode {
  const footer = issued === '' ? [words.safety] : [words.safety, issued]
  return <PageFrame name={words.name} footer={footer} {...rest} />
}
