import type { ReactNode } from 'react'
import './skeleton.css'

type SkeletonProps = { readonly shape?: 'line' | 'short' | 'amount' | 'square' }

/** A placeholder while content loads. Screen readers skip it, so the parent announces that it is loading. */
export function Skeleton({ shape = 'line' }: SkeletonProps): ReactNode {
  return <span className="skeleton" data-shape={shape} aria-hidden="true" />
}
