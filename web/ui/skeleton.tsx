import './skeleton.css'

type SkeletonProps = { readonly shape?: 'line' | 'short' | 'amount' | 'square' }

/** The place of something that is on its way. Whoever shows it says so in words for those who cannot see it. */
export function Skeleton({ shape = 'line' }: SkeletonProps) {
  return <span className="skeleton" data-shape={shape} aria-hidden="true" />
}
