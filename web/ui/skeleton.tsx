import type { ReactNode } from 'react'
import './skeleton.css'

type SkeletonProps = { readonly shape?: 'line' | 'short' | 'amount' | 'square' | 'block' | 'round' }

/** A placeholder while content loads. Screen readers skip it, so the parent announces that it is loading. */
export function Skeleton({ shape = 'line' }: SkeletonProps): ReactNode {
  return <span className="skeleton" data-shape={shape} aria-hidden="true" />
}

/** A placeholder for a list. */
export function SkeletonRows({ count = 6 }: { readonly count?: number }): ReactNode {
  return (
    <div className="skeleton-rows" aria-hidden="true">
      {Array.from({ length: count }, (_, place) => (
        <span key={place}>
          <Skeleton shape="round" />
          <span>
            <Skeleton />
            <Skeleton shape="short" />
          </span>
          <Skeleton />
        </span>
      ))}
    </div>
  )
}
