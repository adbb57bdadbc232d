import type { ReactNode } from 'react'
import type { Refusal } from './send-request.ts'
import { Button } from './button.tsx'
import { notYetRefreshed, type Reloadable } from './known.ts'
import './loaded.css'
import { writeMoment } from './moment.tsx'
import { Notice } from './notice.tsx'
import { Skeleton } from './skeleton.tsx'

export type LoadedProps<Data> = {
  readonly known: Reloadable<Data>
  readonly words: { readonly offline: (at: string) => string; readonly tryAgain: string; readonly loading: string }
  readonly say: (refusal: Refusal) => string
  /** In the shape of the content. */
  readonly placeholder?: ReactNode
  readonly children: (data: Data) => ReactNode
}

/** Shows cached data, marked when it may be outdated; a placeholder while it loads; or the error and a retry button. */
export function Loaded<Data>({ known, words, say, placeholder, children }: LoadedProps<Data>): ReactNode {
  const { data, at, refusal, retry } = known
  if (data !== null)
    return (
      <>
        {refusal !== null && refusal.code !== notYetRefreshed.code && at !== null && (
          <Notice kind="wait">{words.offline(writeMoment(at, 'moment'))}</Notice>
        )}
        <div className="loaded" data-stale={refusal !== null || undefined}>
          {children(data)}
        </div>
      </>
    )
  if (refusal !== null)
    return (
      <Notice kind="error">
        <p className="loaded-fault">{say(refusal)}</p>
        <Button onClick={retry}>{words.tryAgain}</Button>
      </Notice>
    )
  return (
    <div role="status" aria-label={words.loading}>
      {placeholder ?? <DefaultPlaceholder />}
    </div>
  )
}

function DefaultPlaceholder() {
  return (
    <>
      <Skeleton shape="amount" />
      <Skeleton />
      <Skeleton shape="short" />
    </>
  )
}
